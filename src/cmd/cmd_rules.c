#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/text.h"
#include "cmd/judge.h"
#include "cmd/table.h"
#include "sql_gen.h"

struct options {
	struct judge_options judge; /* the rules alone */
	const char *kind, *format;
	bool mutate;
};

static const struct opt opts[] = {
	JUDGE_OPT_RULES(struct options, judge),
	{ "kind", 'k', OPT_TEXT, offsetof(struct options, kind), "KIND",
	    "list: gate, validity, profile, signature, metric, query or cause alone" },
	{ "format", 'f', OPT_TEXT, offsetof(struct options, format), "FORMAT", "list: table (default), csv or json" },
	{ "mutate", 0, OPT_FLAG, offsetof(struct options, mutate), NULL,
	    "lint, test: also turn comparisons around and take expressions and items away; a test must notice" },
	{ .name = NULL },
};

/* What one of the subcommands works with. */
struct work {
	struct cmd_context *ctx;
	const struct options *o;
	struct ruleset *rules;
	struct slice *ids; /* operands behind the subcommand */
	size_t nids;
	struct buf out;
	bool failed; /* it does not hold */
};

static enum imp_rc
make_json(const struct ruleset *rs, struct buf *out, struct imp_err *err)
{
	struct jsonw w = JSONW_INIT(out);

	jsonw_array(&w);
	for (size_t i = 0; i < rules_size(rs); i++) {
		CLEANUP(buf_done) struct buf place = BUF_INIT(8192);
		struct rules_entry e;

		rules_entry(rs, i, &e);
		buf_addf(&place, "%s:%" PRIu32, e.file, e.line);
		jsonw_flat_object(&w);
		jsonw_key(&w, "id");
		jsonw_text(&w, e.id);
		jsonw_key(&w, "kind");
		jsonw_text(&w, slice_of(e.kind));
		jsonw_key(&w, "rev");
		jsonw_int(&w, e.rev);
		jsonw_key(&w, "status");
		jsonw_text(&w, slice_of(e.status));
		jsonw_key(&w, "title");
		jsonw_text(&w, e.title.en);
		jsonw_key(&w, "tests");
		jsonw_int(&w, (int64_t)e.ntests);
		jsonw_key(&w, "place");
		jsonw_text(&w, buf_slice(&place));
		jsonw_end(&w);
		buf_part_ok(out, &place);
	}
	jsonw_end(&w);
	return buf_status(out, err);
}

static enum imp_rc
check_kind(const char *kind, struct imp_err *err)
{
	for (size_t i = 0; kind != NULL && rule_kind_names[i] != NULL; i++)
		if (strcmp(rule_kind_names[i], kind) == 0)
			return IMP_OK;
	return kind == NULL ? IMP_OK : imp_err_set(err, IMP_E_USAGE, "there is no kind of rule '%.32s'", kind);
}

/* The table printer takes the rows of a statement: a store in memory makes them. */
static enum imp_rc
list(struct work *w, struct imp_err *err)
{
	enum table_format format;
	sqlite3_stmt *st;
	enum imp_rc rc = check_kind(w->o->kind, err);

	if (rc == IMP_OK)
		rc = table_format_find(w->o->format != NULL ? w->o->format : "table", &format, err);
	if (rc == IMP_OK)
		rc = store_open(":memory:", STORE_WRITE, 0, &w->ctx->store, err);
	if (rc == IMP_OK)
		rc = make_json(w->rules, &w->out, err);
	if (rc == IMP_OK)
		rc = store_stmt(w->ctx->store, sql_cmd_rules, &st, err);
	if (rc != IMP_OK)
		return rc;
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":rules"), buf_slice(&w->out));
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":kind"), slice_of(w->o->kind));
	return table_print(w->ctx->store, st, format, err);
}

static enum imp_rc
explain(struct work *w, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (w->nids == 0)
		return imp_err_set(err, IMP_E_USAGE, "'rules explain' wants the ids of rules");
	for (size_t i = 0; i < w->nids && rc == IMP_OK; i++) {
		buf_add_str(&w->out, i > 0 ? "\n" : "");
		rc = rules_explain(w->rules, w->ids[i], &w->out, err);
	}
	if (rc == IMP_E_NOINPUT)
		imp_err_hint(err, "'impaudit rules list' names them all");
	return rc == IMP_OK ? cmd_print(&w->out, err) : rc;
}

static void
add_mutation(void *payload, const struct rules_mutation *m)
{
	struct work *w = payload;

	if (m->noticed)
		return;
	text_add_terminal(&w->out, m->rule);
	buf_add_str(&w->out, ": no test notices: ");
	text_add_terminal(&w->out, m->what);
	buf_add_char(&w->out, '\n');
}

static enum imp_rc
mutate(struct work *w, struct imp_err *err)
{
	size_t run, missed;
	enum imp_rc rc = rules_run_mutations(w->rules, w->ids, w->nids, add_mutation, w, &run, &missed, err);

	if (rc != IMP_OK)
		return rc;
	buf_addf(&w->out, "%zu mutations, %zu not noticed\n", run, missed);
	w->failed |= missed > 0;
	return IMP_OK;
}

static void
add_test(void *payload, const struct rules_test *t)
{
	struct work *w = payload;

	if (t->passed)
		return;
	text_add_terminal(&w->out, t->rule);
	buf_add_str(&w->out, ": ");
	text_add_terminal(&w->out, t->name);
	buf_add_str(&w->out, ": ");
	text_add_terminal(&w->out, t->expected);
	buf_add_str(&w->out, " was expected, not ");
	text_add_terminal(&w->out, t->got);
	buf_add_str(&w->out, t->why.n > 0 ? ": " : "");
	text_add_terminal(&w->out, t->why);
	buf_add_char(&w->out, '\n');
}

static enum imp_rc
test(struct work *w, struct imp_err *err)
{
	size_t run, failed;
	enum imp_rc rc = rules_run_tests(w->rules, w->ids, w->nids, add_test, w, &run, &failed, err);

	if (rc == IMP_OK) {
		buf_addf(&w->out, "%zu tests, %zu failed\n", run, failed);
		w->failed = failed > 0;
	}
	if (rc == IMP_OK && w->o->mutate)
		rc = mutate(w, err);
	return rc == IMP_OK ? cmd_print(&w->out, err) : rc;
}

static void
add_remark(void *payload, const struct rules_remark *r)
{
	struct work *w = payload;

	text_add_terminal(&w->out, slice_of(r->file));
	buf_addf(&w->out, ":%" PRIu32 ": %s", r->line, r->warning ? "warning: " : "");
	text_add_terminal(&w->out, r->rule);
	buf_add_str(&w->out, ": ");
	text_add_terminal(&w->out, r->text);
	buf_add_char(&w->out, '\n');
}

static enum imp_rc
lint(struct work *w, struct imp_err *err)
{
	size_t errors, warnings;
	enum imp_rc rc;

	if (w->nids > 0)
		return imp_err_set(err, IMP_E_USAGE, "'rules lint' looks at all rules: it takes no ids");
	rc = rules_lint(w->rules, add_remark, w, &errors, &warnings, err);
	if (rc == IMP_OK) {
		buf_addf(&w->out, "%zu rules, %zu errors, %zu warnings\n", rules_size(w->rules), errors, warnings);
		w->failed = errors > 0;
	}
	if (rc == IMP_OK && w->o->mutate)
		rc = mutate(w, err);
	return rc == IMP_OK ? cmd_print(&w->out, err) : rc;
}

static const struct subcommand {
	const char *name;
	bool lists, mutates; /* takes --kind and --format; takes --mutate */
	enum imp_rc (*run)(struct work *w, struct imp_err *err);
} subcommands[] = {
	{ "list", true, false, list },
	{ "lint", false, true, lint },
	{ "test", false, true, test },
	{ "explain", false, false, explain },
};

static enum imp_rc
find_subcommand(const char *name, const struct options *o, const struct subcommand **ret, struct imp_err *err)
{
	for (size_t i = 0; i < sizeof(subcommands) / sizeof(*subcommands); i++) {
		const struct subcommand *s = &subcommands[i];

		if (strcmp(s->name, name) != 0)
			continue;
		if ((o->kind != NULL || o->format != NULL) && !s->lists)
			return imp_err_set(err, IMP_E_USAGE, "--kind and --format go with 'rules list'");
		if (o->mutate && !s->mutates)
			return imp_err_set(err, IMP_E_USAGE, "--mutate goes with 'rules lint' and 'rules test'");
		*ret = s;
		return IMP_OK;
	}
	return imp_err_set(err, IMP_E_USAGE, "'rules' wants one of list, lint, test, explain, not '%.32s'", name);
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	struct work w = { .ctx = ctx, .o = ctx->options, .nids = ctx->noperands - 1, .out = BUF_INIT(CMD_OUTPUT_MAX) };
	const struct subcommand *s = NULL;
	enum imp_rc rc = find_subcommand(ctx->operands[0], w.o, &s, err);

	if (rc == IMP_OK && s->lists && w.nids > 0)
		rc = imp_err_set(err, IMP_E_USAGE, "'rules list' takes no ids");
	w.ids = calloc(ctx->noperands, sizeof(*w.ids));
	if (rc == IMP_OK && w.ids == NULL)
		rc = imp_err_set(err, IMP_E_NOMEM, "out of memory");
	for (size_t i = 0; i < w.nids && rc == IMP_OK; i++)
		w.ids[i] = slice_of(ctx->operands[i + 1]);
	if (rc == IMP_OK)
		rc = judge_load_rules(&w.o->judge.rules, s->mutates ? RULES_TO_CHECK : RULES_TO_SHOW, &w.rules, err);
	if (rc == IMP_OK)
		rc = s->run(&w, err);
	ctx->exit_status = rc == IMP_OK && w.failed ? 1 : 0;
	rules_free(w.rules);
	buf_done(&w.out);
	free(w.ids);
	return rc;
}

const struct cmd cmd_rules = {
	.name = "rules",
	.operands = "list|lint|test|explain [ID]...",
	.help = "list rules, check rule files, run the tests that rules carry, or say what a rule does",
	.opts = opts,
	.options_size = sizeof(struct options),
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.run = run,
};
