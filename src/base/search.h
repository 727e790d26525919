/* base/search.h - search in what is sorted. */
#pragma once

/* Set `i` to the first index from `from` on, below `to`, for which `before`, an expression of i, does not hold; to `to` when it holds for
 * all. It must hold up to some place and for none behind it. `i` is a size_t of the caller's. */
#define LOWER_BOUND(i, from, to, before) \
	do { \
		size_t first_ = (from), behind_ = (to); \
\
		while (first_ < behind_) { \
			(i) = first_ + (behind_ - first_) / 2; \
			if (before) \
				first_ = (i) + 1; \
			else \
				behind_ = (i); \
		} \
		(i) = first_; \
	} while (0)
