#include "config.h"

#include "report/md.h"

#include "base/text.h"

/* What it takes to get the same bytes again. */
static void
add_origin(struct md *m)
{
	buf_add_str(m->out, "---\n\nRun ");
	md_code(m, m->r->run.id);
	buf_add_str(m->out, ", server ");
	md_code(m, m->r->run.server);
	if (m->r->run.tenant.p != NULL) {
		buf_add_str(m->out, ", tenant ");
		md_code(m, m->r->run.tenant);
	}
	if (m->r->run.build_expected.p != NULL) {
		buf_add_str(m->out, ", build under test ");
		md_code(m, m->r->run.build_expected);
	}
	buf_add_str(m->out, ". Rules ");
	md_code(m, slice_of(m->r->verdict->rules_digest));
	buf_addf(m->out, ", evidence store version %d, impaudit " PACKAGE_VERSION ".\n", store_schema_version());
}

static enum imp_rc
render_md(const struct report *r, const struct render_options *opt, struct buf *out, struct imp_err *err)
{
	struct md m = { out, r, opt->zone };

	md_head(&m);
	md_causes(&m);
	md_failures(&m);
	md_figures(&m);
	md_validity(&m);
	md_losses(&m);
	md_coverage(&m);
	add_origin(&m);
	return buf_status(out, err);
}

const struct renderer renderer_md = { "md", render_md };
