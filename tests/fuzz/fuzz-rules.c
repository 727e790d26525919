/* A rule file, up to where its SQL would be prepared: read, checked, profiles worked out. */
#include "config.h"

#include "fuzz.h"
#include "rules/rule.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ruleset rs = { 0 };
	struct slice text = { (const char *)data, size };

	if (ruleset_add_file(&rs, 0, "fuzz.yaml", text, NULL) == IMP_OK)
		(void)!profile_resolve_all(&rs, "2026-12-01", NULL);
	VEC_FREE(NULL, &rs.rules);
	VEC_FREE(NULL, &rs.plans);
	arena_done(&rs.arena);
	return 0;
}
