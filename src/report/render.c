#include "config.h"

#include "report/render.h"

#include <string.h>

#include "base/cleanup.h"

const struct renderer *const renderers[] = { &renderer_md, &renderer_json, NULL };

enum imp_rc
renderer_find(const char *format, const struct renderer **ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf known = BUF_INIT(256);

	for (size_t i = 0; renderers[i] != NULL; i++) {
		if (strcmp(renderers[i]->format, format) == 0) {
			*ret = renderers[i];
			return IMP_OK;
		}
		buf_addf(&known, "%s%s", i > 0 ? ", " : "", renderers[i]->format);
	}
	return imp_err_set(err, IMP_E_USAGE, "no report format '%.32s': there are %s", format, known.n > 0 ? known.p : "none");
}
