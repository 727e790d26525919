/* tests/fault/inject.c - a shared object for LD_PRELOAD that lets one call of the program fail.
 *
 * Calls are counted by kind, from the moment the program's own code begins:
 *   alloc  malloc calloc realloc, of the program and of every library
 *   read   read pread open openat openat2 fopen stat fstat lstat fstatat readdir
 *   write  write pwrite fsync fdatasync ftruncate rename renameat unlink unlinkat
 *   step   sqlite3_step, where the program itself calls it: not within SQLite, whose own callers trust it
 * What stdio reads and writes for itself is not seen. Settings come from the environment:
 *   FAULT_KIND   the kind that is to fail; none is when it is not set
 *   FAULT_AT     which call of it, from 1
 *   FAULT_DO     what happens there (default fail)
 *     fail       the call fails, once
 *     forever    it fails, and so does every later one of the kind
 *     short      a read or write handles half of its bytes, other calls are left alone
 *     torn       a write handles half of its bytes, then the process is killed
 *     kill       the process is killed before the call
 *     stop       the process stops before the call, until it gets SIGCONT
 *   FAULT_CODE   errno of the failing call, or the SQLite code of a step (default EIO, SQLITE_IOERR)
 *   FAULT_COUNT  a file that gets the counts at exit, "alloc N" and so on, and "hit 1" when the fault happened
 *   FAULT_SITES  a file that gets "alloc N SITE" for every first call from a place in the code, the place being the last
 *   FAULT_DEPTH  (default 4) return addresses. SITE is the same in every process */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ALLOC, READ, WRITE, STEP, _KIND_MAX };
enum action { PASS, FAIL, FOREVER, SHORT, TORN, KILL, STOP, _ACTION_MAX };

static const char *const kind_names[_KIND_MAX] = { "alloc", "read", "write", "step" };
static const char *const action_names[_ACTION_MAX] = { "", "fail", "forever", "short", "torn", "kill", "stop" };

static struct {
	enum kind kind;
	enum action action; /* PASS: only count */
	unsigned long at;
	int code;
	const char *count_file;
	int sites_fd, depth;	      /* fd -1: sites are not asked for */
	void *own_base;		      /* where this library lies */
	uintptr_t text_from, text_to; /* the program's own code */
} plan;
static atomic_bool armed, hit;
static atomic_ulong calls[_KIND_MAX];

#define SITES_MAX (1u << 16)
#define DEPTH_MAX 32
#define OWN_FRAMES_MAX 6 /* between the call and backtrace() */

static uint64_t sites[SITES_MAX]; /* open addressing; 0: free */
static unsigned nsites;

/* Declares `real`, the function behind ours. */
#define REAL(name) \
	static __typeof__(&name) real; \
	if (real == NULL) \
	real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* A hash of where the call comes from. Places are told by their library and their distance from its start. */
static uint64_t
site_of(void)
{
	void *frames[DEPTH_MAX + OWN_FRAMES_MAX];
	int n = backtrace(frames, plan.depth + OWN_FRAMES_MAX), left = plan.depth;
	uint64_t hash = 0xcbf29ce484222325;

	for (int i = 0; i < n && left > 0; i++) {
		Dl_info info;

		if (dladdr(frames[i], &info) == 0 || info.dli_fbase == plan.own_base)
			continue;
		for (const char *c = info.dli_fname; *c != '\0'; c++)
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
		hash = (hash ^ ((uintptr_t)frames[i] - (uintptr_t)info.dli_fbase)) * 0x100000001b3;
		hash ^= hash >> 32;
		left--;
	}
	return hash;
}

static void
note_site(enum kind kind, unsigned long call)
{
	uint64_t site = (site_of() + kind) | 1; /* 0 is a free slot */
	size_t i = site % SITES_MAX;

	while (sites[i] != 0 && sites[i] != site)
		i = (i + 1) % SITES_MAX;
	if (sites[i] == site || nsites == SITES_MAX / 2)
		return;
	sites[i] = site;
	nsites++;
	dprintf(plan.sites_fd, "%s %lu %016lx\n", kind_names[kind], call, (unsigned long)site);
}

/* Count a call. FAIL, SHORT and TORN are for the caller to do; the rest is done here. */
static enum action
next_call(enum kind kind)
{
	unsigned long n;

	if (!atomic_load(&armed))
		return PASS;
	n = atomic_fetch_add(&calls[kind], 1) + 1;
	if (plan.sites_fd >= 0) {
		atomic_store(&armed, false); /* looking around allocates */
		note_site(kind, n);
		atomic_store(&armed, true);
		return PASS;
	}
	if (plan.action == PASS || kind != plan.kind || n < plan.at || (n > plan.at && plan.action != FOREVER))
		return PASS;
	atomic_store(&hit, true);
	if (plan.action == KILL || plan.action == STOP) {
		syscall(SYS_kill, syscall(SYS_getpid), plan.action == KILL ? SIGKILL : SIGSTOP);
		return PASS;
	}
	return plan.action == FOREVER ? FAIL : plan.action;
}

/* Is this call to fail? Then errno says why. */
static bool
fails(enum kind kind)
{
	if (next_call(kind) != FAIL)
		return false;
	errno = kind == ALLOC ? ENOMEM : plan.code;
	return true;
}

/* As fails(), for a call that handles *n bytes. *ret_torn: the process is to die behind it. */
static bool
fails_bytes(enum kind kind, size_t *n, bool *ret_torn)
{
	enum action action = next_call(kind);

	*ret_torn = action == TORN;
	if ((action == SHORT || action == TORN) && *n > 1)
		*n /= 2;
	if (action == FAIL)
		errno = plan.code;
	return action == FAIL;
}

static ssize_t
done_bytes(ssize_t n, bool torn)
{
	if (torn)
		syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
	return n;
}

/* ------------------------------------------------------------------ alloc */

void *
malloc(size_t n)
{
	REAL(malloc);

	return fails(ALLOC) ? NULL : real(n);
}

void *
calloc(size_t n, size_t size)
{
	REAL(calloc);

	return fails(ALLOC) ? NULL : real(n, size);
}

void *
realloc(void *p, size_t n)
{
	REAL(realloc);

	return fails(ALLOC) ? NULL : real(p, n);
}

/* ------------------------------------------------------------------ read and write */

#define BYTES(kind, name, params, args, n) \
	ssize_t name params \
	{ \
		bool torn; \
		REAL(name); \
\
		return fails_bytes(kind, &n, &torn) ? -1 : done_bytes(real args, torn); \
	}
BYTES(READ, read, (int fd, void *p, size_t n), (fd, p, n), n)
BYTES(READ, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), n)
BYTES(READ, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), n)
BYTES(WRITE, write, (int fd, const void *p, size_t n), (fd, p, n), n)
BYTES(WRITE, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), n)
BYTES(WRITE, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), n)

#define CALL(kind, type, name, params, args, failure) \
	type name params \
	{ \
		REAL(name); \
\
		return fails(kind) ? (failure) : real args; \
	}
CALL(READ, FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
CALL(READ, FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
CALL(READ, int, stat, (const char *path, struct stat *st), (path, st), -1)
CALL(READ, int, stat64, (const char *path, struct stat64 *st), (path, st), -1)
CALL(READ, int, lstat, (const char *path, struct stat *st), (path, st), -1)
CALL(READ, int, lstat64, (const char *path, struct stat64 *st), (path, st), -1)
CALL(READ, int, fstat, (int fd, struct stat *st), (fd, st), -1)
CALL(READ, int, fstat64, (int fd, struct stat64 *st), (fd, st), -1)
CALL(READ, int, fstatat, (int fd, const char *path, struct stat *st, int flags), (fd, path, st, flags), -1)
CALL(READ, int, fstatat64, (int fd, const char *path, struct stat64 *st, int flags), (fd, path, st, flags), -1)
CALL(READ, struct dirent *, readdir, (DIR * d), (d), NULL)
CALL(READ, struct dirent64 *, readdir64, (DIR * d), (d), NULL)
CALL(WRITE, int, fsync, (int fd), (fd), -1)
CALL(WRITE, int, fdatasync, (int fd), (fd), -1)
CALL(WRITE, int, ftruncate, (int fd, off_t n), (fd, n), -1)
CALL(WRITE, int, ftruncate64, (int fd, off64_t n), (fd, n), -1)
CALL(WRITE, int, rename, (const char *from, const char *to), (from, to), -1)
CALL(WRITE, int, renameat, (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to), -1)
CALL(WRITE, int, unlink, (const char *path), (path), -1)
CALL(WRITE, int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), -1)

#define OPEN(name, params, last, ...) \
	int name params \
	{ \
		va_list ap; \
		mode_t mode; \
		REAL(name); \
\
		va_start(ap, last); \
		mode = (last & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(ap, mode_t) : 0; \
		va_end(ap); \
		return fails(READ) ? -1 : real(__VA_ARGS__, mode); \
	}
OPEN(open, (const char *path, int flags, ...), flags, path, flags)
OPEN(open64, (const char *path, int flags, ...), flags, path, flags)
OPEN(openat, (int fd, const char *path, int flags, ...), flags, fd, path, flags)
OPEN(openat64, (int fd, const char *path, int flags, ...), flags, fd, path, flags)

/* What a fortified openat() without a mode becomes. */
int __openat_2(int fd, const char *path, int flags);
CALL(READ, int, __openat_2, (int fd, const char *path, int flags), (fd, path, flags), -1)

/* openat2() has no function of its own. */
long
syscall(long number, ...)
{
	long a[6];
	va_list ap;
	REAL(syscall);

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_openat2 && fails(READ))
		return -1;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ------------------------------------------------------------------ step */

int sqlite3_step(void *statement);

int
sqlite3_step(void *statement)
{
	uintptr_t from = (uintptr_t)__builtin_return_address(0);
	REAL(sqlite3_step);

	if (from >= plan.text_from && from < plan.text_to && fails(STEP))
		return plan.code;
	return real(statement);
}

/* ------------------------------------------------------------------ the plan */

static int
find_program(struct dl_phdr_info *info, size_t size, void *payload)
{
	(void)size, (void)payload;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0) {
			plan.text_from = info->dlpi_addr + p->p_vaddr;
			plan.text_to = plan.text_from + p->p_memsz;
		}
	}
	return 1; /* the program is the first */
}

static int
find_name(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	fprintf(stderr, "inject: no '%s'\n", name);
	_exit(125);
}

static unsigned long
number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

/* A library that is preloaded starts last, before main(). */
__attribute__((constructor)) static void
start(void)
{
	const char *kind = getenv("FAULT_KIND"), *action = getenv("FAULT_DO"), *sites_file = getenv("FAULT_SITES");
	Dl_info own;
	void *frame;

	dl_iterate_phdr(find_program, NULL);
	plan.count_file = getenv("FAULT_COUNT");
	plan.depth = (int)number("FAULT_DEPTH", 4);
	if (plan.depth > DEPTH_MAX)
		plan.depth = DEPTH_MAX;
	plan.sites_fd = sites_file != NULL ? open(sites_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	backtrace(&frame, 1); /* loads what it needs */
	if (dladdr(frame, &own) != 0)
		plan.own_base = own.dli_fbase;
	if (kind != NULL) {
		plan.kind = (enum kind)find_name(kind_names, _KIND_MAX, kind);
		plan.action = (enum action)find_name(action_names, _ACTION_MAX, action != NULL ? action : "fail");
		plan.at = number("FAULT_AT", 1);
		plan.code = (int)number("FAULT_CODE", plan.kind == STEP ? 10 /* SQLITE_IOERR */ : EIO);
	}
	atomic_store(&armed, true);
}

__attribute__((destructor)) static void
end(void)
{
	FILE *f;

	atomic_store(&armed, false);
	if (plan.count_file == NULL || (f = fopen(plan.count_file, "we")) == NULL)
		return;
	for (int i = 0; i < _KIND_MAX; i++)
		fprintf(f, "%s %lu\n", kind_names[i], atomic_load(&calls[i]));
	fprintf(f, "hit %d\n", atomic_load(&hit));
	fclose(f);
}
