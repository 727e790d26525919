#include "config.h"

#include "ingest/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "base/sha256.h"
#include "ingest/source.h"

static const struct {
	const char *name;
	bool records;
} kinds[_INPUT_KIND_MAX] = {
	[INPUT_PLAN] = { "plan", false },
	[INPUT_TIMELINE] = { "timeline", false },
	[INPUT_ACCOUNTS] = { "accounts", true },
	[INPUT_TOPICS] = { "topics", true },
	[INPUT_LEDGER] = { "ledger", true },
	[INPUT_HISTORY] = { "history", true },
	[INPUT_DB] = { "db", true },
	[INPUT_KAFKA] = { "kafka", true },
	[INPUT_REDIS] = { "redis", false },
	[INPUT_METRICS] = { "metrics", false },
	[INPUT_KUBE] = { "kube", false },
	[INPUT_LOG] = { "log", false },
	[INPUT_COLLECT] = { "collect", true },
	[INPUT_LOADGEN] = { "loadgen", false },
	[INPUT_MANIFEST] = { "manifest", false },
	[INPUT_UNREAD] = { "unread", false },
};

/* The layout table of the ledger format: where a file lies and what its name is like tell what it is. `.gz` and `.zst` behind a
 * name say nothing. */
static const struct {
	struct slice folder; /* with its '/'; empty: the top */
	unsigned between;    /* folders that may lie between it and the file */
	enum { IS, ENDS, HAS } match;
	struct slice name; /* that the file's name is, ends in or has somewhere */
	enum input_kind kind;
} layout[] = {
	{ SLICE(""), 0, IS, SLICE("run.json"), INPUT_PLAN },
	{ SLICE(""), 0, IS, SLICE("timeline.json"), INPUT_TIMELINE },
	{ SLICE(""), 0, IS, SLICE("accounts.jsonl"), INPUT_ACCOUNTS },
	{ SLICE(""), 0, IS, SLICE("topics.jsonl"), INPUT_TOPICS },
	{ SLICE(""), 0, IS, SLICE("manifest.sha256"), INPUT_MANIFEST },
	{ SLICE("agents/"), 1, ENDS, SLICE(".jsonl"), INPUT_LEDGER },
	{ SLICE("history/"), 0, ENDS, SLICE(".jsonl"), INPUT_HISTORY },
	{ SLICE("db/"), 1, ENDS, SLICE(".jsonl"), INPUT_DB },
	{ SLICE("kafka/"), 0, ENDS, SLICE(".jsonl"), INPUT_KAFKA },
	{ SLICE("redis/"), 0, HAS, SLICE(""), INPUT_REDIS },
	{ SLICE("metrics/"), 0, ENDS, SLICE(".prom"), INPUT_METRICS },
	{ SLICE("metrics/"), 0, ENDS, SLICE(".json"), INPUT_METRICS },
	{ SLICE("kube/"), 0, ENDS, SLICE(".json"), INPUT_KUBE },
	{ SLICE("kube/"), 0, HAS, SLICE("top"), INPUT_KUBE },
	{ SLICE("logs/"), 3, ENDS, SLICE(".tmp"), INPUT_UNREAD }, /* that kubelet is compressing */
	{ SLICE("logs/"), 3, HAS, SLICE(".log"), INPUT_LOG },
	{ SLICE("collect/"), 0, ENDS, SLICE(".jsonl"), INPUT_COLLECT },
	{ SLICE("loadgen/"), 0, HAS, SLICE(""), INPUT_LOADGEN },
};

const char *
input_kind_name(enum input_kind kind)
{
	return kinds[kind].name;
}

bool
input_kind_has_records(enum input_kind kind)
{
	return kinds[kind].records;
}

static struct slice
without_suffix(struct slice s, struct slice suffix)
{
	return slice_has_suffix(s, suffix) ? (struct slice){ s.p, s.n - suffix.n } : s;
}

/* `agents/<agent>/…`: the agent, empty when the file does not lie in such a folder. */
static struct slice
agent_folder(struct slice path)
{
	struct slice rest = { path.p + strlen("agents/"), path.n - strlen("agents/") };
	const char *slash = memchr(rest.p, '/', rest.n);

	return slash != NULL ? (struct slice){ rest.p, (size_t)(slash - rest.p) } : (struct slice){ rest.p, 0 };
}

/* The file's name in `path`, behind `between` folders at most; p NULL: it lies deeper. */
static struct slice
name_behind(struct slice path, unsigned between)
{
	const char *slash;

	while ((slash = memchr(path.p, '/', path.n)) != NULL) {
		if (between-- == 0)
			return (struct slice){ NULL, 0 };
		path.n -= (size_t)(slash + 1 - path.p);
		path.p = slash + 1;
	}
	return path;
}

static enum input_kind
kind_of(struct slice path)
{
	struct slice bare = without_suffix(without_suffix(path, SLICE(".gz")), SLICE(".zst"));

	for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++) {
		struct slice folder = layout[i].folder, wanted = layout[i].name, name;

		if (!slice_has_prefix(bare, folder))
			continue;
		name = name_behind((struct slice){ bare.p + folder.n, bare.n - folder.n }, layout[i].between);
		if (name.p == NULL || name.n == 0)
			continue;
		if (layout[i].match == IS	? slice_eq(name, wanted) :
			layout[i].match == ENDS ? slice_has_suffix(name, wanted) :
						  memmem(name.p, name.n, wanted.p, wanted.n) != NULL)
			return layout[i].kind;
	}
	return INPUT_UNREAD;
}

/* What the auditor itself writes into a results directory. */
static bool
is_own_output(struct slice path)
{
	return memchr(path.p, '/', path.n) == NULL &&
	    (slice_has_prefix(path, SLICE("report.")) || slice_has_prefix(path, SLICE("impaudit.db")));
}

static enum imp_rc
add_file(struct inputs *in, struct slice path, const struct stat *st, struct imp_err *err)
{
	struct input_file f = {
		.kind = kind_of(path),
		.bytes = (uint64_t)st->st_size,
		.inode = st->st_ino,
		.mtime_ns = input_mtime_ns(st),
	};
	struct slice copy = arena_slice(&in->arena, path, err);

	if (copy.p == NULL)
		return err->code;
	if (in->v.n == INPUTS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "'%s' holds more than %u files", in->dir, INPUTS_MAX);
	f.path = copy.p;
	if (f.kind == INPUT_LEDGER) {
		f.agent = agent_folder(copy);
		if (f.agent.n == 0)
			f.kind = INPUT_UNREAD;
	}
	if (!S_ISREG(st->st_mode))
		f.kind = INPUT_UNREAD;
	return VEC_PUSH(NULL, &in->v, f, err);
}

/* A symbolic link is an input when it leads to a file inside the directory. */
static enum imp_rc
add_link(struct inputs *in, struct slice path, const struct stat *link, struct imp_err *err)
{
	struct source_limits limits = { .line_max = SOURCE_LINE_MAX_DEFAULT, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	struct imp_err why;
	enum imp_rc rc = source_open(in->dirfd, path.p, &limits, &src, &why);

	if (rc == IMP_OK || rc == IMP_E_NOINPUT || rc == IMP_E_DATA)
		return add_file(in, path, rc == IMP_OK ? source_stat(src) : link, err);
	*err = why;
	return rc;
}

static enum imp_rc walk(struct inputs *in, int fd, struct slice prefix, unsigned depth, struct imp_err *err);

static enum imp_rc
walk_folder(struct inputs *in, int parent, const char *name, struct slice path, unsigned depth, struct imp_err *err)
{
	int fd;

	if (depth == INPUTS_DEPTH_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "'%s' is more than %u folders deep", path.p, INPUTS_DEPTH_MAX);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not open folder '%s'", path.p);
	return walk(in, fd, path, depth + 1, err);
}

static void
closedirp(DIR **d)
{
	if (*d != NULL)
		closedir(*d);
}

/* Takes `fd`. */
static enum imp_rc
walk(struct inputs *in, int fd, struct slice prefix, unsigned depth, struct imp_err *err)
{
	CLEANUP(closedirp) DIR *d = fdopendir(fd);
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	struct dirent *e;
	enum imp_rc rc = IMP_OK;

	if (d == NULL) {
		close(fd);
		return imp_err_errno(err, IMP_E_IO, errno, "could not read folder '%.*s'", SLICE_ARG(prefix));
	}
	while (rc == IMP_OK && (errno = 0, e = readdir(d)) != NULL) {
		struct stat st;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		buf_clear(&path);
		buf_addf(&path, "%.*s%s%s", SLICE_ARG(prefix), prefix.n > 0 ? "/" : "", e->d_name);
		rc = buf_status(&path, err);
		if (rc != IMP_OK || is_own_output(buf_slice(&path)))
			continue;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			rc = imp_err_errno(err, IMP_E_IO, errno, "could not look at '%s'", path.p);
		else if (S_ISDIR(st.st_mode))
			rc = walk_folder(in, dirfd(d), e->d_name, buf_slice(&path), depth, err);
		else if (S_ISLNK(st.st_mode))
			rc = add_link(in, buf_slice(&path), &st, err);
		else
			rc = add_file(in, buf_slice(&path), &st, err);
	}
	if (rc == IMP_OK && errno != 0)
		rc = imp_err_errno(err, IMP_E_IO, errno, "could not read folder '%.*s'", SLICE_ARG(prefix));
	return rc;
}

static int
path_cmp(const void *a, const void *b)
{
	return strcmp(((const struct input_file *)a)->path, ((const struct input_file *)b)->path);
}

static enum imp_rc
inputs_digest(struct inputs *in, struct imp_err *err)
{
	CLEANUP(sha256_done) struct sha256 hash = { .context = NULL };
	unsigned char sum[SHA256_BYTES];
	enum imp_rc rc = sha256_begin(&hash, err);

	for (size_t i = 0; i < in->v.n && rc == IMP_OK; i++) {
		const struct input_file *f = &in->v.v[i];
		uint64_t facts[3] = { f->bytes, (uint64_t)f->mtime_ns, f->inode };

		sha256_add(&hash, f->path, strlen(f->path) + 1);
		sha256_add(&hash, facts, sizeof(facts));
	}
	if (rc == IMP_OK)
		rc = sha256_end(&hash, sum, err);
	if (rc == IMP_OK)
		source_hex(sum, in->digest);
	return rc;
}

enum imp_rc
inputs_digest_with(struct inputs *in, struct slice what, struct imp_err *err)
{
	CLEANUP(sha256_done) struct sha256 hash = { .context = NULL };
	unsigned char sum[SHA256_BYTES];
	enum imp_rc rc = sha256_begin(&hash, err);

	if (rc != IMP_OK)
		return rc;
	sha256_add(&hash, in->digest, strlen(in->digest));
	sha256_add(&hash, what.p, what.n);
	rc = sha256_end(&hash, sum, err);
	if (rc == IMP_OK)
		source_hex(sum, in->digest);
	return rc;
}

enum imp_rc
inputs_open(const char *dir, struct inputs *ret, struct imp_err *err)
{
	struct inputs in = { .dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	struct imp_err local;
	enum imp_rc rc;
	int fd;

	if (err == NULL)
		err = &local;
	if (in.dirfd < 0)
		return imp_err_errno(err, errno == ENOENT || errno == ENOTDIR ? IMP_E_NOINPUT : IMP_E_IO, errno,
		    "could not open results directory '%s'", dir);
	in.dir = realpath(dir, NULL);
	fd = openat(in.dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in.dir == NULL || fd < 0) {
		rc = imp_err_errno(err, IMP_E_IO, errno, "could not open results directory '%s'", dir);
		if (fd >= 0)
			close(fd);
	} else {
		rc = walk(&in, fd, SLICE(""), 0, err);
	}
	if (rc == IMP_OK && in.v.n > 0)
		qsort(in.v.v, in.v.n, sizeof(*in.v.v), path_cmp);
	if (rc == IMP_OK)
		rc = inputs_digest(&in, err);
	if (rc == IMP_OK)
		*ret = in;
	else
		inputs_close(&in);
	return rc;
}

size_t
inputs_find(const struct inputs *in, struct slice path)
{
	size_t i;

	LOWER_BOUND(i, 0, in->v.n, slice_cmp(slice_of(in->v.v[i].path), path) < 0);
	return i < in->v.n && slice_eq(slice_of(in->v.v[i].path), path) ? i : SIZE_MAX;
}

void
inputs_close(struct inputs *in)
{
	if (in->dirfd >= 0)
		close(in->dirfd);
	free(in->dir);
	arena_done(&in->arena);
	VEC_FREE(NULL, &in->v);
	*in = (struct inputs){ .dirfd = -1 };
}
