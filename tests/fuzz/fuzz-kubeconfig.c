/* Any bytes as a kubeconfig: refused with words, or an address, and every secret given back. */
#include "config.h"

#include <fcntl.h>
#include <string.h>

#include "collect/kube_config.h"
#include "dir.h"

static void
read_as(const char *path, bool with_user)
{
	struct mem_budget budget = { .limit = (size_t)16 << 20 };
	struct arena arena = { .budget = &budget };
	struct imp_err err = { .code = IMP_OK };
	struct kube_access a;
	enum imp_rc rc = kube_config_read(&arena, path, NULL, with_user, &a, &err);

	if (rc == IMP_OK) {
		must(strncmp(a.api.url, "http", 4) == 0 && a.namespace[0] != '\0');
		must(!with_user || (a.api.cert.n > 0 || a.api.cert_file != NULL) == (a.api.key.p != NULL));
		must(with_user || (a.api.token.p == NULL && a.api.key.p == NULL && a.api.password.p == NULL));
		kube_access_done(&a);
	} else {
		must(err.code == rc && err.msg[0] != '\0');
	}
	arena_done(&arena);
	must(budget.used == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path;

	must(fuzz_dirfd() >= 0);
	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	path = run_dir_path("bytes");
	must(chmod(path, 0600) == 0);
	read_as(path, true);
	read_as(path, false);
	return 0;
}
