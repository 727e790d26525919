/* tests/lib/fault.h - let one allocation of the code under test fail.
 *
 * For a test program that is linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc: the calls of our own objects come here
 * first, those of the libraries do not. Set fault_at to n and the n-th call from then on fails, once. */
#pragma once
#include <stddef.h>

static int fault_at;   /* 0: none */
static int fault_hits; /* allocations that were made to fail */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static inline int
fault_now(void)
{
	if (fault_at == 0 || --fault_at > 0)
		return 0;
	fault_hits++;
	return 1;
}

void *
__wrap_malloc(size_t n)
{
	return fault_now() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fault_now() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return fault_now() ? NULL : __real_realloc(p, n);
}
