#include "config.h"

#include "collect/collect_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/beneath.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "collect/run_facts.h"

#define SOURCE_BYTES_MAX 128
#define MARK_NEAR_NS (5 * NS_PER_S)

static bool
is_name_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

void
job_stem(const struct collect_job *job, const char *folder, const char *source, bool sample, struct buf *out)
{
	buf_addf(out, "%s/", folder);
	for (size_t i = 0; source[i] != '\0' && i < SOURCE_BYTES_MAX; i++)
		buf_add_char(out, is_name_letter(source[i]) && (i > 0 || source[i] != '.') ? source[i] : '_');
	if (job->mark != NULL && !sample)
		buf_addf(out, "@%s", job->mark);
	else
		buf_addf(out, "@%lld", (long long)time_second(time_now()));
}

const char *
job_mark_now(int dirfd, enum collect_phase phase)
{
	const char *mark = run_phase_mark(phase);
	int64_t t, now = time_now();

	if (run_mark_time(dirfd, mark, &t, NULL) != IMP_OK)
		return NULL;
	return t == INT64_MIN || (t >= now - MARK_NEAR_NS && t <= now + MARK_NEAR_NS) ? mark : NULL;
}

static struct slice
without_suffix(struct slice s, struct slice suffix)
{
	return slice_has_suffix(s, suffix) ? (struct slice){ s.p, s.n - suffix.n } : s;
}

/* The look-up that an entry of db/ belongs to; 0: none. */
static int64_t
check_of(struct slice name)
{
	const struct slice folder = SLICE("check-");
	struct slice bare = without_suffix(without_suffix(name, SLICE(".gz")), SLICE(".zst"));
	int64_t n = 0;

	if (slice_has_prefix(name, folder) && name.n > folder.n && name.n <= folder.n + 9) {
		for (size_t i = folder.n; i < name.n; i++) {
			if (name.p[i] < '0' || name.p[i] > '9')
				return 0;
			n = n * 10 + (name.p[i] - '0');
		}
		return n;
	}
	/* what a snapshot of the status left there are no rows */
	return slice_has_suffix(bare, SLICE(".jsonl")) && !slice_has_prefix(bare, SLICE("status@"));
}

static void
closedirp(DIR **d)
{
	if (*d != NULL)
		closedir(*d);
}

enum imp_rc
job_next_check(int dirfd, int64_t *ret, struct imp_err *err)
{
	int fd = beneath_open(dirfd, "db", O_RDONLY | O_DIRECTORY);
	CLEANUP(closedirp) DIR *d = NULL;
	int64_t last = 0;
	struct dirent *e;

	if (fd < 0 && errno == ENOENT) {
		*ret = 1;
		return IMP_OK;
	}
	d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		enum imp_rc rc = imp_err_errno(err, IMP_E_IO, errno, "could not read the folder 'db'");

		close_fdp(&fd);
		return rc;
	}
	while ((errno = 0, e = readdir(d)) != NULL) {
		int64_t n = check_of(slice_of(e->d_name));

		last = n > last ? n : last;
	}
	if (errno != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not read the folder 'db'");
	*ret = last + 1;
	return IMP_OK;
}
