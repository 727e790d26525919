/* lab.h - one node of the lab server: what all of its parts share.
 *
 * There is one struct lab; main() owns it, everybody else borrows it. Everything runs on the loop's thread but what the headers of
 * log and store name. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/mem.h"
#include "lab_dir.h"
#include "lab_ids.h"
#include "lab_link.h"
#include "lab_log.h"
#include "lab_metrics.h"
#include "lab_net.h"

enum dialect {
	DIALECT_TINODE,
	DIALECT_IM_SERVER,
};

struct lab_options {
	const char *listen;		      /* HOST:PORT, port 0: any */
	const char *port_file;		      /* where to write the port */
	const char *certificate, *key;	      /* PEM files: TLS */
	const char *name;		      /* of this node */
	const char *cluster;		      /* NAME=HOST:PORT of all nodes, commas between */
	const char *mysql, *database, *kafka; /* socket, name, brokers; see lab_store.h */
	uint64_t tenant;
	const char *log;	  /* file, stderr when NULL */
	const char *dialect_name; /* tinode or im-server */
	const char *tenant_code;  /* of all clients; im-server */
	uint64_t max_members, max_message, max_unsent, ping_ms, deadline_ms;
	bool null_server;
	uint64_t flood, flood_sockets, flood_frames; /* see lab_flood.h */
	bool help;
};

/* What /debug/vars and /metrics say. */
struct counters {
	uint64_t incoming, outgoing;
	uint64_t ctrl[6]; /* by hundreds of the code */
	uint64_t topics_made;
	uint64_t published, delivered;
	uint64_t queued, queue_full;   /* publishes at a topic */
	uint64_t routed, route_failed; /* requests to other nodes */
	uint64_t stored, store_failed;
	struct histogram save_time;
};

struct api_memory;
struct flood;
struct session;
struct store;

struct lab {
	struct lab_options options;
	enum dialect dialect;
	uv_loop_t loop;
	struct net net;
	SSL_CTX *tls; /* NULL: plain */
	struct links links;
	struct lab_log log;
	struct directory dir;
	struct ring ring;
	uint32_t self;	/* number of this node */
	uint32_t nodes; /* how many there are */
	unsigned char token_secret[SECRET_BYTES];
	VEC(struct session *) sessions; /* by the lower half of their number */
	VEC(uint32_t) free_sessions;
	struct counters counters;
	/* of the directory, by requests here: how many, what the others were asked about, what each has */
	uint64_t changes, changes_settled, changes_taken[RING_NODES_MAX];
	int64_t started;	/* Unix ns */
	struct store *store;	/* NULL: memory */
	struct flood *flood;	/* NULL: none */
	struct api_memory *api; /* NULL: no request yet */
	uv_timer_t settle;
	uv_signal_t sigint, sigterm;
	uv_prepare_t flush_log;
};
