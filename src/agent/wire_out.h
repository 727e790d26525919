/* agent/wire_out.h - what the agent sends: each function appends one frame to `out`, in the dialect of the session.
 *
 * `tinode` is the protocol of stock Tinode (facts: its data model 0.25). `im-server` adds what the fork asks for: the tenant in {hi},
 * registration fields in {acc}. Text is escaped here; secrets are base64 as the protocol has them, and whoever sends a frame that holds
 * one wipes it. Pure; the buffer keeps what goes wrong. */
#pragma once
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

enum wire_dialect { DIALECT_TINODE, DIALECT_IM_SERVER, _DIALECT_MAX };

struct wire_client {
	enum wire_dialect dialect;
	const char *agent;  /* user agent: "impagent/0.1.0" */
	const char *tenant; /* im-server; NULL: none */
};

/* A message of the run. `id` is unique within its connection. */
struct wire_publish {
	const char *id;
	struct slice topic, mid;
	const char *run_id, *scenario;
	uint32_t sender_index;
	uint64_t message_index;
	int64_t sent_at_ns;
	size_t size; /* bytes of text at least */
};

void wire_hi(const struct wire_client *c, const char *id, struct buf *out);
void wire_login_basic(const char *id, struct slice name, struct slice password, struct buf *out);
void wire_login_token(const char *id, struct slice token, struct buf *out);
/* Register, and be logged in. `title` is the public name. */
void wire_register(const struct wire_client *c, const char *id, struct slice name, struct slice password, struct slice title,
    struct buf *out);
void wire_sub(const char *id, struct slice topic, struct buf *out);
void wire_pub(const struct wire_publish *p, struct buf *out);
/* Rows of a topic with since <= seq < before, newest first, at most `limit`; a bound of 0 is none. */
void wire_get_data(const char *id, struct slice topic, int64_t since, int64_t before, unsigned limit, struct buf *out);
