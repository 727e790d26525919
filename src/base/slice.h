/* base/slice.h - a view of bytes that somebody else owns: never NUL-terminated, never strlen()ed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *p;
	size_t n;
};

/* A slice of a string literal. */
#define SLICE(s) ((struct slice){ "" s, sizeof(s) - 1 })
/* printf("%.*s", SLICE_ARG(s)) */
#define SLICE_ARG(s) (int)(s).n, (s).p

static inline struct slice
slice_of(const char *s)
{
	return (struct slice){ s, s != NULL ? strlen(s) : 0 };
}

static inline bool
slice_eq(struct slice a, struct slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
slice_has_prefix(struct slice s, struct slice prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool
slice_has_suffix(struct slice s, struct slice suffix)
{
	return s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* <0, 0, >0 in byte order; a prefix sorts first. */
static inline int
slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n > 0 ? memcmp(a.p, b.p, n) : 0;

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}
