/* cmd/judge.h - what report, gate and audit share: a run judged by a rule set, and its report written.
 *
 * Life cycle: 1. one of judge_verdict(), judge_briefly(), judge_run()  2. judge_done(), also after a failure. The store is sealed from then on. */
#pragma once
#include "cmd/cmd.h"
#include "report/model.h"
#include "report/render.h"

struct judge_options {
	const char *run;	/* NULL: the one ingested last */
	const char *profile;	/* NULL: the one that run.json asks for */
	struct opt_texts rules; /* directories besides the built-in rules */
};

/* The entries of an option table for a struct that has a `struct judge_options` named `member`. */
#define JUDGE_OPT_RULES(type, member) \
	{ \
		"rules", 0, OPT_TEXTS, offsetof(type, member.rules), "DIR", \
		    "rule files that add to the built-in ones or replace them by id; may be repeated" \
	}
#define JUDGE_OPT_PROFILE(type, member) \
	{ \
		"profile", 0, OPT_TEXT, offsetof(type, member.profile), "NAME", \
		    "gate profile (default: what run.json asks for, else release)" \
	}
#define JUDGE_OPT_RUN(type, member) \
	{ \
		"run", 0, OPT_TEXT, offsetof(type, member.run), "ID", "the run (default: the one ingested last)" \
	}

/* Load the built-in rules and those of `dirs`, as of today. The caller frees them with rules_free(). */
MUST_CHECK enum imp_rc judge_load_rules(const struct opt_texts *dirs, enum rules_purpose purpose, struct ruleset **ret,
    struct imp_err *err);

struct judgement {
	int64_t run_no;
	struct ruleset *rules;
	struct verdict *verdict;
	struct causes *causes;
	struct report report;
};

/* Judge a run; of its report only the head is read. */
MUST_CHECK enum imp_rc judge_verdict(struct cmd_context *ctx, const struct judge_options *opt, struct judgement *ret,
    struct imp_err *err);
/* The same, and weigh the causes of what failed, without where it concentrates. */
MUST_CHECK enum imp_rc judge_briefly(struct cmd_context *ctx, const struct judge_options *opt, struct judgement *ret,
    struct imp_err *err);
/* Everything: read the report (lists of at most `list_max`), judge the run and weigh the causes. */
MUST_CHECK enum imp_rc judge_run(struct cmd_context *ctx, const struct judge_options *opt, size_t list_max, struct judgement *ret,
    struct imp_err *err);
void judge_done(struct judgement *j);

/* Print the verdict on one screen and make it the exit status. */
MUST_CHECK enum imp_rc judge_print(struct cmd_context *ctx, const struct judgement *j, struct imp_err *err);
