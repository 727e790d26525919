/* base/cmp.h - comparison functions for qsort(), key by key. */
#pragma once

/* Decide by one key when it differs; the function goes on with the next key when it does not. */
#define CMP(a, b) \
	if ((a) != (b)) \
	return (a) < (b) ? -1 : 1
