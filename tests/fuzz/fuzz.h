/* tests/fuzz/fuzz.h - what the fuzz targets share. A target takes bytes and aborts when something does not hold. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/slice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
must(bool holds)
{
	if (!holds)
		abort();
}
