/* report/repair_text.h - what was repaired since an earlier look-up of the database, for a terminal. Pure; check buf_status() of `out`. */
#pragma once
#include "base/buf.h"
#include "report/model.h"

/* One line of totals, and one for each message of the list. */
void repair_text(const struct report_repairs *x, struct buf *out);
