#include "config.h"

#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/time.h"

#define LENGTH_MIN_NS 1000000
#define LENGTH_MAX_NS (24 * 3600 * NS_PER_S)
#define NUMBER_BYTES_MAX 32 /* of a number with its unit */

void
secret_done(struct secret *s)
{
	if (s->p != NULL)
		explicit_bzero(s->p, s->n);
	free(s->p);
	*s = (struct secret){ NULL, 0 };
}

/* ------------------------------------------------------------------ secrets */

static enum imp_rc
secret_take(const char *p, size_t n, struct secret *ret, struct imp_err *err)
{
	char *copy = malloc(n + 1);

	if (copy == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	memcpy(copy, p, n);
	copy[n] = '\0';
	*ret = (struct secret){ copy, n };
	return IMP_OK;
}

static enum imp_rc
secret_from_env(const struct doc_node *name, struct secret *ret, struct imp_err *err)
{
	const char *value = getenv(name->text.p);

	if (value == NULL || value[0] == '\0')
		return doc_error(&name->at, err, "the environment has no '%.128s'", name->text.p);
	if (strlen(value) > SECRET_BYTES_MAX)
		return doc_error(&name->at, err, "'%.128s' is longer than %d bytes", name->text.p, SECRET_BYTES_MAX);
	return secret_take(value, strlen(value), ret, err);
}

static enum imp_rc
check_secret_file(const struct doc_node *path, int fd, struct imp_err *err)
{
	struct stat st;
	enum imp_rc rc;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return doc_error(&path->at, err, "'%.256s' is not a regular file", path->text.p);
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) == 0)
		return IMP_OK;
	rc = doc_error(&path->at, err, "others may read or write '%.256s' (mode %04o)", path->text.p, (unsigned)st.st_mode & 07777);
	imp_err_hint(err, "chmod 600 '%.200s'", path->text.p);
	return rc;
}

/* Read to the end, but not beyond what fits. Returns the bytes read, SIZE_MAX when reading failed. */
static size_t
read_up_to(int fd, char *p, size_t max)
{
	size_t n = 0;

	while (n < max) {
		ssize_t got = read(fd, p + n, max - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return SIZE_MAX;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return n;
}

static enum imp_rc
secret_from_file(const struct doc_node *path, struct secret *ret, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = open(path->text.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	CLEANUP(secret_done) struct secret text = { NULL, 0 };
	size_t n;
	enum imp_rc rc;

	if (fd < 0)
		return doc_error(&path->at, err, "could not open '%.256s': %s", path->text.p, strerrordesc_np(errno));
	rc = check_secret_file(path, fd, err);
	if (rc != IMP_OK)
		return rc;
	text.p = malloc(SECRET_BYTES_MAX + 2);
	if (text.p == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	text.n = SECRET_BYTES_MAX + 2; /* all of it is wiped */
	n = read_up_to(fd, text.p, SECRET_BYTES_MAX + 2);
	if (n == SIZE_MAX)
		return doc_error(&path->at, err, "could not read '%.256s': %s", path->text.p, strerrordesc_np(errno));
	if (n > 0 && text.p[n - 1] == '\n')
		n--;
	if (n == 0 || n > SECRET_BYTES_MAX)
		return doc_error(&path->at, err, "'%.256s' %s", path->text.p, n == 0 ? "is empty" : "is too long for a secret");
	if (memchr(text.p, '\0', n) != NULL)
		return doc_error(&path->at, err, "'%.256s' has a NUL character", path->text.p);
	return secret_take(text.p, n, ret, err);
}

enum imp_rc
secret_read(const struct doc_node *n, struct secret *ret, struct imp_err *err)
{
	static const char *const keys[] = { "env", "file", NULL };
	const struct doc_node *env, *file;
	enum imp_rc rc;

	if (n == NULL) {
		*ret = (struct secret){ NULL, 0 };
		return IMP_OK;
	}
	if (n->kind == DOC_SCALAR) {
		rc = doc_error(&n->at, err, "a secret does not stand in the configuration");
		imp_err_hint(err, "write '{env: NAME}' or '{file: PATH}'");
		return rc;
	}
	rc = doc_check_keys(n, keys, err);
	if (rc != IMP_OK)
		return rc;
	env = doc_get(n, "env");
	file = doc_get(n, "file");
	if ((env == NULL) == (file == NULL))
		return doc_error(&n->at, err, "a secret is either 'env' or 'file'");
	rc = doc_is(env != NULL ? env : file, DOC_SCALAR, err);
	if (rc != IMP_OK)
		return rc;
	return env != NULL ? secret_from_env(env, ret, err) : secret_from_file(file, ret, err);
}

/* ------------------------------------------------------------------ lengths, sizes, counts */

/* "1.5s": the number, then its unit in the table. False: it is none, or out of the range. */
static bool
parse_length(struct slice text, int64_t *ret_ns)
{
	static const struct {
		struct slice name;
		double ns;
	} units[] = {
		{ SLICE("ms"), 1e6 }, /* before "s" */
		{ SLICE("s"), 1e9 },
		{ SLICE("m"), 60e9 },
		{ SLICE("h"), 3600e9 },
	};
	char number[NUMBER_BYTES_MAX], *end;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = text.n - units[i].name.n;
		double v;

		if (!slice_has_suffix(text, units[i].name) || n == 0 || n >= sizeof(number))
			continue;
		memcpy(number, text.p, n);
		number[n] = '\0';
		if (strspn(number, "0123456789.") != n) /* no sign, no exponent, no "inf" */
			return false;
		v = strtod(number, &end) * units[i].ns;
		if (*end != '\0' || !(v >= LENGTH_MIN_NS && v <= LENGTH_MAX_NS))
			return false;
		*ret_ns = llround(v);
		return true;
	}
	return false;
}

enum imp_rc
setting_length(const struct doc_node *n, int64_t fallback_ns, int64_t *ret_ns, struct imp_err *err)
{
	enum imp_rc rc;

	if (n == NULL) {
		*ret_ns = fallback_ns;
		return IMP_OK;
	}
	rc = doc_is(n, DOC_SCALAR, err);
	if (rc != IMP_OK || parse_length(n->text, ret_ns))
		return rc;
	return doc_error(&n->at, err, "'%.*s' is not a length of time such as 250ms, 5s, 2m, 1h (1ms to 24h)", SLICE_ARG(n->text));
}

enum imp_rc
setting_length_text(const char *text, const char *what, int64_t *ret_ns, struct imp_err *err)
{
	if (parse_length(slice_of(text), ret_ns))
		return IMP_OK;
	return imp_err_set(err, IMP_E_USAGE, "'%s' wants a length of time such as 250ms, 5s, 2m, 1h (1ms to 24h), not '%.64s'",
	    what, text);
}

/* Decimal digits and nothing else; NULL when they do not fit, else what stands behind them. */
static const char *
parse_digits(struct slice text, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(text.p[i] - '0'), &v))
			return NULL;
	}
	*ret = v;
	return i > 0 ? text.p + i : NULL;
}

static bool
parse_bytes(struct slice text, uint64_t *ret)
{
	static const char units[] = "KMG";
	const char *end = parse_digits(text, ret), *unit;
	unsigned shift = 0;

	if (end == NULL || end + 1 < text.p + text.n)
		return false;
	if (end < text.p + text.n) {
		unit = memchr(units, *end, sizeof(units) - 1);
		if (unit == NULL)
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (*ret == 0 || *ret > UINT64_MAX >> shift)
		return false;
	*ret <<= shift;
	return true;
}

enum imp_rc
setting_bytes(const struct doc_node *n, uint64_t fallback, uint64_t *ret, struct imp_err *err)
{
	uint64_t v = fallback;
	enum imp_rc rc = n != NULL ? doc_is(n, DOC_SCALAR, err) : IMP_OK;

	if (rc != IMP_OK)
		return rc;
	if (n != NULL && !parse_bytes(n->text, &v))
		return doc_error(&n->at, err, "'%.*s' is not a size such as 500K, 64M, 2G", SLICE_ARG(n->text));
	*ret = v;
	return IMP_OK;
}

enum imp_rc
setting_count(const struct doc_node *n, uint64_t fallback, uint64_t lo, uint64_t hi, uint64_t *ret, struct imp_err *err)
{
	uint64_t v = fallback;
	enum imp_rc rc = n != NULL ? doc_is(n, DOC_SCALAR, err) : IMP_OK;

	if (rc != IMP_OK)
		return rc;
	if (n == NULL || (parse_digits(n->text, &v) == n->text.p + n->text.n && v >= lo && v <= hi))
		*ret = v;
	else if (lo == hi)
		return doc_error(&n->at, err, "must be %llu, not '%.*s'", (unsigned long long)lo, SLICE_ARG(n->text));
	else
		return doc_error(&n->at, err, "'%.*s' is not a number from %llu to %llu", SLICE_ARG(n->text),
		    (unsigned long long)lo, (unsigned long long)hi);
	return IMP_OK;
}

enum imp_rc
setting_bool(const struct doc_node *n, bool fallback, bool *ret, struct imp_err *err)
{
	static const char *const names[] = { "false", "true", NULL };
	unsigned choice = fallback;
	enum imp_rc rc = n != NULL ? doc_choice(n, "value", names, &choice, err) : IMP_OK;

	if (rc == IMP_OK)
		*ret = choice != 0;
	return rc;
}

enum imp_rc
setting_text(struct arena *arena, const struct doc_node *n, const char *fallback, const char **ret, struct imp_err *err)
{
	struct slice copy;
	enum imp_rc rc;

	if (n == NULL) {
		*ret = fallback;
		return IMP_OK;
	}
	rc = doc_is(n, DOC_SCALAR, err);
	if (rc != IMP_OK)
		return rc;
	if (n->text.n == 0)
		return doc_error(&n->at, err, "'%.*s' is empty", SLICE_ARG(n->key));
	copy = arena_slice(arena, n->text, err);
	if (copy.p == NULL)
		return IMP_E_NOMEM;
	*ret = copy.p;
	return IMP_OK;
}

enum imp_rc
setting_name(struct arena *arena, const struct doc_node *n, const char *fallback, const char **ret, struct imp_err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	enum imp_rc rc = setting_text(arena, n, fallback, ret, err);

	if (rc != IMP_OK || n == NULL)
		return rc;
	if ((*ret)[0] == '.' || strlen(*ret) > SETTING_NAME_MAX || strspn(*ret, letters) != strlen(*ret))
		return doc_error(&n->at, err, "a name is of letters, digits, '.', '_' and '-', at most %d, not '%.80s'",
		    SETTING_NAME_MAX, *ret);
	return IMP_OK;
}
