#include "config.h"

#include "base/cleanup.h"
#include "base/stop.h"
#include "base/text.h"
#include "cmd/collecting.h"
#include "collect/mysql_contract.h"

struct options {
	const char *config, *server, *tenant;
	struct opt_texts only;
};

#define FIELD(f) offsetof(struct options, f)

static const struct opt opts[] = {
	COLLECTING_OPT_CONFIG(struct options, config),
	{ "only", 0, OPT_TEXTS, FIELD(only), "NAME", "check this instance alone; may be given again" },
	{ "tenant", 0, OPT_TEXT, FIELD(tenant), "TENANT", "for patterns of names (default: every table that they allow)" },
	{ "server", 0, OPT_TEXT, FIELD(server), "NAME", "whose rules apply: im-server (default) or tinode" },
	{ .name = NULL },
};

static const char *const state_words[_CONTRACT_STATE_MAX] = {
	[CONTRACT_HOLDS] = "ok",
	[CONTRACT_NOTED] = "note",
	[CONTRACT_BROKEN] = "FAIL",
	[CONTRACT_UNSEEN] = "unseen",
};

struct checks {
	struct buf out;
	uint64_t n[_CONTRACT_STATE_MAX];
};

static void
add_line(void *ctx, enum contract_state state, const char *text)
{
	struct checks *c = ctx;

	c->n[state]++;
	buf_addf(&c->out, "%-6s  ", state_words[state]);
	text_add_terminal(&c->out, slice_of(text));
	buf_add_char(&c->out, '\n');
}

static enum imp_rc
read_server(const char *name, bool *ret_tinode, struct imp_err *err)
{
	*ret_tinode = name != NULL && strcmp(name, "tinode") == 0;
	if (name != NULL && !*ret_tinode && strcmp(name, "im-server") != 0)
		return imp_err_set(err, IMP_E_USAGE, "unknown server '%.64s': im-server or tinode", name);
	return IMP_OK;
}

static bool
is_chosen(const struct options *o, const char *source)
{
	for (size_t i = 0; i < o->only.n; i++)
		if (strcmp(o->only.v[i], source) == 0)
			return true;
	return o->only.n == 0;
}

static enum imp_rc
check_all(const struct collect_config *config, const struct options *o, const struct contract_options *how, struct imp_err *err)
{
	const void *settings;
	size_t checked = 0;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; rc == IMP_OK && (settings = collect_config_settings(config, &collector_mysql, i)) != NULL; i++) {
		if (!is_chosen(o, mysql_instance_name(settings)))
			continue;
		rc = mysql_contract_check(settings, how, err);
		checked++;
	}
	if (rc == IMP_OK && checked == 0)
		return imp_err_set(err, IMP_E_RULE, "the configuration has no instance of MySQL%s",
		    o->only.n > 0 ? " of that name" : "");
	return rc;
}

/* The last line, and the exit status. */
static int
conclude(struct checks *c)
{
	bool broken = c->n[CONTRACT_BROKEN] > 0, holds = !broken && c->n[CONTRACT_UNSEEN] == 0 && c->n[CONTRACT_HOLDS] > 0;

	buf_add_str(&c->out,
	    broken    ? "The schema does not keep the contract.\n" :
		holds ? "The schema keeps the contract.\n" :
			"Not all of the schema could be seen.\n");
	return broken ? 1 : holds ? 0 : 3;
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(collect_config_done) struct collect_config *config = NULL;
	struct checks c = { .out = BUF_INIT(CMD_OUTPUT_MAX) };
	struct contract_options how = { .tenant = o->tenant, .stop = stop_on_signals(), .say = add_line, .ctx = &c };
	enum imp_rc rc = read_server(o->server, &how.tinode, err), printed = IMP_OK;

	if (rc == IMP_OK)
		rc = collect_config_read(collecting_config_path(o->config), &config, err);
	if (rc == IMP_OK)
		rc = check_all(config, o, &how, err);
	if (rc == IMP_OK)
		ctx->exit_status = conclude(&c);
	if (c.out.n > 0)
		printed = cmd_print(&c.out, rc == IMP_OK ? err : NULL);
	buf_done(&c.out);
	return rc != IMP_OK ? rc : printed;
}

const struct cmd cmd_check_schema = {
	.name = "check-schema",
	.operands = "",
	.help = "check a live database before a load; exit 0 it keeps the contract, 1 it does not, 3 not all could be seen",
	.opts = opts,
	.options_size = sizeof(struct options),
	.run = run,
};
