/* report/json.h - the parts of the JSON report and the members they share. Private to the renderer.
 *
 * Every function appends members to the object that is open in `w`; errors stick in its buffer. */
#pragma once
#include "base/jsonw.h"
#include "report/model.h"
#include "report/render.h"

/* One member. Empty text is null. */
void json_text(struct jsonw *w, const char *key, struct slice s);
void json_int(struct jsonw *w, const char *key, int64_t v);
void json_optional(struct jsonw *w, const char *key, struct report_int v);
void json_bool(struct jsonw *w, const char *key, bool v);
void json_empty_list(struct jsonw *w, const char *key);
/* An instant as an object: nanoseconds, UTC, and the second zone when there is one. */
void json_time(struct jsonw *w, const char *key, struct report_int t, const struct render_options *opt);
/* `file`, `sha256`, `line`: where something stands; line 0 is the whole file. */
void json_place(struct jsonw *w, struct slice file, struct slice sha256, int64_t line);

/* {"en": ..., "zh-CN": ...}; null where the rule says nothing. */
void json_rule_text(struct jsonw *w, const char *key, struct rule_text t);

/* `agents`, `scenarios`, `total`. */
void json_scopes(struct jsonw *w, const struct report *r);

enum json_which { JSON_GATES, JSON_VALIDITY, JSON_ALL };

void json_verdict(struct jsonw *w, const struct verdict *v);
void json_rules(struct jsonw *w, const char *key, const struct rule_verdict *rules, size_t n, enum json_which which);
void json_trust(struct jsonw *w, const struct verdict *v);

/* `causes`, `findings`, `concentration`, `failing_messages`, `unexplained_messages`. */
void json_causes(struct jsonw *w, const struct report *r);

/* `repairs`; `servers` and `collected`. */
void json_repairs(struct jsonw *w, const struct report *r, const struct render_options *opt);
void json_collected(struct jsonw *w, const struct report *r, const struct render_options *opt);

/* `losses`, `repairs`, `marks`, `windows`, `ledgers`, `damage`, `servers`, `collected`, `sources`, `log_lines`, `files`. */
void json_evidence(struct jsonw *w, const struct report *r, const struct render_options *opt);
