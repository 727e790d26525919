/* base/cleanup.h - release locals when they go out of scope; TAKE() moves ownership out, visibly. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define TAKE(ptr) \
	__extension__({ \
		__typeof__(ptr) taken_ = (ptr); \
		(ptr) = NULL; \
		taken_; \
	})

static inline void
freep(void *pp)
{
	free(*(void **)pp);
}

static inline void
close_fdp(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void
fclosep(FILE **f)
{
	if (*f != NULL)
		fclose(*f);
}
