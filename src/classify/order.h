/* classify/order.h - deliveries that came out of order (truth model, section 2), for every group of messages.
 *
 * A copy is out of order when its receiver had seen a higher seq of the topic before. Looking at the messages of a topic from the
 * highest seq down, that is so exactly when it arrived after the earliest of those already looked at: one comparison a copy. Only
 * messages are sorted, and the copies that carry another seq than the others of their message. */
#pragma once
#include "classify/run.h"

struct order; /* opaque; classify/order.c */

MUST_CHECK enum imp_rc order_init(struct run *r, struct order **ret, struct imp_err *err);
void order_done(struct order *o); /* takes NULL */

/* Look at the settled rows of this pass. *ret_needs_lines: arrivals at the same nanosecond whose order matters. */
MUST_CHECK enum imp_rc order_pass(struct order *o, bool *ret_needs_lines, struct imp_err *err);

/* Add the pass to the groups. */
void order_commit(struct order *o);
