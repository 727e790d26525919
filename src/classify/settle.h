/* classify/settle.h - the copies of one message put in order: which is the first at each receiver, which were sent twice, which
 * answer the read-back. Internal to classify/observe.c. */
#pragma once
#include "classify/run.h"

struct settled {
	bool needs_lines; /* equal times, and the lines are not at hand */
	uint64_t *resent; /* by file: records of lines that an agent wrote twice */
	VEC(struct hist) readback;
	VEC(struct copy) demoted; /* scratch */
};

/* Judge the row of a message (`m` NULL: a foreign mid). Afterwards a cell holds the first copy at its member, every odd copy has its
 * kind, lines written twice and answers to the read-back are gone. */
MUST_CHECK enum imp_rc settle_row(struct run *r, const struct message *m, struct delivery_row *row, struct settled *s,
    struct imp_err *err);
