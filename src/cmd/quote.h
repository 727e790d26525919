/* cmd/quote.h - does a line of a log still say what the store quotes of it?
 *
 * The store has the text of an event: without what the runtime put around it, cut, without secrets. So the line is cleaned the same
 * way, and the quote (its first line, when there are several) must stand in it: as it is, behind the escapes of JSON, or, of a line that the
 * runtime has split, its beginning. Pure. Errors: IMP_E_NOMEM, IMP_E_LIMIT. */
#pragma once
#include <stdbool.h>

#include "base/err.h"
#include "base/slice.h"

/* `quote` is not empty. */
MUST_CHECK enum imp_rc quote_holds(struct slice line, struct slice quote, bool *ret, struct imp_err *err);
