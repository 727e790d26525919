/* collect/kafka.h - the parts of the Kafka collector among themselves: settings, client, lag, dead letters.
 *
 * The client reads as a simple consumer and an administrator: it joins no group, commits nothing and makes no topic. All requests
 * of librdkafka are waited for here with a time limit; its own retries go on below. Threading: one thread for each client;
 * librdkafka's threads call nothing of ours, logs and errors are events of its queue. */
#pragma once
#include <librdkafka/rdkafka.h>

#include "base/settings.h"
#include "collect/collector.h"
#include "collect/kafka_field.h"

struct kafka_property {
	const char *name;
	const char *text;     /* NULL: `secret` */
	struct secret secret; /* ended by kafka_forget() */
};

/* A consumer group, with the topics to look at; none: those it has committed offsets for. */
struct kafka_group {
	const char *name;
	const char **topics;
	size_t ntopics;
};

/* A topic of dead letters, and where its records have what a `dead` line says. */
struct kafka_letters {
	const char *topic;
	bool from_start; /* of the topic; else from the records of `margin_ns` before the run */
	int64_t margin_ns;
	uint64_t records_max;
	struct kafka_field mid, error, code, message_topic, state;
	const char *replayed; /* what `state` says of a letter that was sent again; NULL: nothing does */
};

struct kafka_settings {
	const char *source, *bootstrap;
	struct ask_limits limits;
	struct kafka_property *properties;
	struct kafka_group *groups;
	struct kafka_letters *letters;
	bool members; /* of groups are asked for */
	size_t nproperties, ngroups, nletters;
};

enum imp_rc kafka_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err);
void kafka_forget(void *settings);

/* ------------------------------------------------------------------ client */

struct kafka_client {
	const struct kafka_settings *settings;
	const volatile sig_atomic_t *stop;
	rd_kafka_t *rk;
	rd_kafka_queue_t *events;   /* of the client: its errors and logs */
	rd_kafka_topic_t **handles; /* of topics that were asked for: metadata speaks of these */
	size_t nhandles, handles_cap;
	char why[256]; /* the last error that librdkafka told by itself: "Connection refused", "Authentication failed" */
	bool stuck;    /* it cannot be destroyed any more: librdkafka 2.0 waits for ever behind brokers that describe no groups */
	bool down;     /* ... and no broker is left */
	bool refused;  /* ... and it will be no other next time: the account, or TLS */
};

/* `reads`: it fetches records, up to where a transaction is open; else it asks how far groups and partitions are, up to the last
 * record. Connects in the background. */
MUST_CHECK enum imp_rc kafka_client_open(struct kafka_client *c, const struct kafka_settings *settings, bool reads,
    const volatile sig_atomic_t *stop, struct imp_err *err);
void kafka_client_close(struct kafka_client *c); /* a zeroed one too */

/* The topic will be in the metadata from now on. *ret is borrowed. */
MUST_CHECK enum imp_rc kafka_client_watch(struct kafka_client *c, const char *topic, rd_kafka_topic_t **ret, struct imp_err *err);

/* Brokers, and the watched topics with their partitions; freed with rd_kafka_metadata_destroy(). Tried again as the limits say;
 * *ret_tries is how often, also on failure. */
MUST_CHECK enum imp_rc kafka_client_metadata(struct kafka_client *c, const struct rd_kafka_metadata **ret, unsigned *ret_tries,
    struct imp_err *err);

/* Offsets of partitions in one request to each broker: list[i].offset holds the time to look for (ms), or RD_KAFKA_OFFSET_END or
 * _BEGINNING, and afterwards the offset; list[i].err. An empty list is fine. */
MUST_CHECK enum imp_rc kafka_client_offsets(struct kafka_client *c, rd_kafka_topic_partition_list_t *list, unsigned *ret_tries,
    struct imp_err *err);

/* The next event of `q`, until `deadline` (monotonic ns) at most; NULL then, or when told to stop. Owned by the caller. */
rd_kafka_event_t *kafka_client_wait(struct kafka_client *c, rd_kafka_queue_t *q, int64_t deadline);

/* IMP_E_UNAVAILABLE: "kafka 'main' at HOST: DOING: why", with the reason that librdkafka told by itself where there is one. */
enum imp_rc kafka_client_error(struct kafka_client *c, rd_kafka_resp_err_t code, const char *doing, struct imp_err *err);

/* What an error means for the journal. */
enum asked_status kafka_status(rd_kafka_resp_err_t code);

/* ------------------------------------------------------------------ groups */

struct kafka_group_look {
	const struct kafka_group *of;
	rd_kafka_topic_partition_list_t *asked;	    /* NULL: all that it has committed for */
	rd_kafka_topic_partition_list_t *committed; /* by topic and partition; NULL: no answer */
	rd_kafka_resp_err_t failed;		    /* why */
	int64_t members;			    /* -1: not known */
};

/* What each group of the configuration has committed: all at once, those that did not answer once more. The number of tries. */
unsigned kafka_groups_committed(struct kafka_client *c, struct kafka_group_look *groups);
/* Members of the groups that answered. One try: they stand beside what matters. */
rd_kafka_resp_err_t kafka_groups_members(struct kafka_client *c, struct kafka_group_look *groups);

/* ------------------------------------------------------------------ what is taken */

struct kafka_state {
	struct kafka_client client;
	struct outfile *lag; /* all samples of this process; NULL: none yet */
	bool drained;	     /* as the last sample showed */
};

/* A line in the journal. `status` ASKED_OK or the error's; `why` NULL: none. */
MUST_CHECK enum imp_rc kafka_note(const struct kafka_state *s, const struct collect_job *job, const struct asked *a,
    struct imp_err *err);

enum imp_rc kafka_lag_sample(void *state, const struct collect_job *job, bool sample, struct imp_err *err);
enum imp_rc kafka_dead_letters(void *state, const struct collect_job *job, struct imp_err *err);

/* Writes letters, of the run or of the mids of a recheck, into a file that it borrows. */
struct kafka_letter_writer {
	const struct collect_job *job;
	struct outfile *out;
	const char **mids;			  /* sorted; NULL: all that have the run's prefix */
	struct buf mid, text, topic, error, line; /* scratch */
};

struct kafka_letter_counts {
	uint64_t records, bytes; /* read */
	uint64_t found;		 /* written */
	uint64_t others;	 /* of other runs, or not asked for */
	uint64_t tombstones;	 /* no mid and no value */
	uint64_t unread;	 /* no mid, and young enough to be of the run */
};

MUST_CHECK enum imp_rc kafka_letter_writer_init(struct kafka_letter_writer *w, const struct collect_job *job, struct outfile *out,
    struct imp_err *err);
void kafka_letter_writer_done(struct kafka_letter_writer *w); /* a zeroed one too */
MUST_CHECK enum imp_rc kafka_letter_take(struct kafka_letter_writer *w, const struct kafka_letters *l, const rd_kafka_message_t *m,
    struct kafka_letter_counts *counts, struct imp_err *err);

/* One `lag` line. Offsets below 0 are not known; members below 0 too. Pure. */
struct kafka_lag {
	int64_t t, committed, start, end, members;
	const char *group, *topic;
	int32_t partition;
};

void kafka_lag_line(const struct kafka_lag *l, struct buf *out);
