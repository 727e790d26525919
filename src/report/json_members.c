#include "config.h"

#include "report/json.h"

#include "base/cleanup.h"

void
json_text(struct jsonw *w, const char *key, struct slice s)
{
	jsonw_key(w, key);
	if (s.n == 0)
		jsonw_null(w);
	else
		jsonw_text(w, s);
}

void
json_int(struct jsonw *w, const char *key, int64_t v)
{
	jsonw_key(w, key);
	jsonw_int(w, v);
}

void
json_optional(struct jsonw *w, const char *key, struct report_int v)
{
	jsonw_key(w, key);
	if (v.known)
		jsonw_int(w, v.v);
	else
		jsonw_null(w);
}

void
json_bool(struct jsonw *w, const char *key, bool v)
{
	jsonw_key(w, key);
	jsonw_bool(w, v);
}

void
json_empty_list(struct jsonw *w, const char *key)
{
	jsonw_key(w, key);
	jsonw_array(w);
	jsonw_end(w);
}

void
json_rule_text(struct jsonw *w, const char *key, struct rule_text t)
{
	jsonw_key(w, key);
	if (t.en.n == 0) {
		jsonw_null(w);
		return;
	}
	jsonw_flat_object(w);
	json_text(w, "en", t.en);
	json_text(w, "zh-CN", t.zh);
	jsonw_end(w);
}

void
json_place(struct jsonw *w, struct slice file, struct slice sha256, int64_t line)
{
	json_text(w, "file", file);
	json_text(w, "sha256", sha256);
	json_optional(w, "line", (struct report_int){ line > 0, line });
}

void
json_time(struct jsonw *w, const char *key, struct report_int t, const struct render_options *opt)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);

	jsonw_key(w, key);
	if (!t.known) {
		jsonw_null(w);
		return;
	}
	jsonw_flat_object(w);
	jsonw_key(w, "t");
	jsonw_int(w, t.v);
	time_add_utc(&text, t.v, 9);
	json_text(w, "utc", buf_slice(&text));
	if (opt->zone != NULL && buf_part_ok(w->out, &text)) {
		buf_clear(&text);
		time_add_zoned(&text, t.v, 9, opt->zone);
		json_text(w, "zone", buf_slice(&text));
	}
	jsonw_end(w);
	buf_part_ok(w->out, &text);
}
