/* ingest/record.h - one record of a ledger line: a flat JSON object, read without a tree.
 *
 * This parser is our own for its speed (some 1,900 MB/s; json-c took nine seconds for 4 M deliveries in a prototype): a scanner over
 * one line that knows the ledger's keys. json-c is the judge in its tests. It accepts exactly RFC 8259 objects, plus the literals NaN,
 * Infinity and -Infinity as values ("not measured"). Values that are objects or arrays are checked and skipped, `members` is kept raw.
 *
 * Threading: a scanner belongs to one thread. The record borrows from the line and from the scanner's scratch until the next
 * record_scan(). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

/* Every key that some event or JSONL line of the ledger format uses (X-macro: enum, name table and masks from one list). */
/* clang-format off */
#define RECORD_KEYS(X) \
	X(account) X(address) X(agent) X(by) X(bytes) X(ceiling_per_s) X(check) X(code) X(column) X(committed) X(complete) \
	X(count) X(cpu_pct) X(created) X(deadlock) X(deadlock_t) X(detail) X(end) X(error) X(ev) X(events) X(extra) X(fd_limit) \
	X(fds) X(file) X(found) X(from) X(group) X(hi) X(history_length) X(id) X(index) X(kafka_topic) X(kind) X(lag) X(lo) \
	X(members) X(mid) X(n) X(name) X(net_rx_bytes) X(net_tx_bytes) X(nr_periods) X(nr_throttled) X(ns) X(nullable) \
	X(offline_members) X(offset_ns) X(pair) X(partition) X(peer) X(phase) X(plan) X(plan_sha256) X(pod) X(ports_total) \
	X(ports_used) X(proc_cpu_pct) X(query) X(queue_depth) X(role) X(rss_bytes) X(rtt_ns) X(sc) X(sent) X(seq) X(server) \
	X(size) X(sockets) X(source) X(start) X(state) X(status) X(system) X(t) X(table) X(target) X(text) X(throttled_us) \
	X(time_wait) X(to) X(topic) X(tries) X(try) X(type) X(user) X(value) X(version) X(what) X(who) X(why)

enum record_key {
#define X(k) KEY_##k,
	RECORD_KEYS(X)
#undef X
	_RECORD_KEY_MAX
};
/* clang-format on */

enum record_type {
	REC_STRING,
	REC_INT,  /* fits int64 and was written without fraction or exponent */
	REC_REAL, /* any other number */
	REC_BOOL,
	REC_NULL,
	REC_NOT_MEASURED, /* NaN, Infinity, -Infinity, and a number too large for a double */
	REC_RAW,	  /* object or array, `s` is its text */
};

struct record_value {
	enum record_type type;
	struct slice s; /* string: decoded; number: as written; raw: the text */
	union {
		int64_t i; /* REC_INT, REC_BOOL */
		double d;  /* REC_REAL */
	};
};

typedef unsigned __int128 record_mask; /* a bit for each key */
#define RECORD_BIT(k) ((record_mask)1 << (k))

struct record {
	record_mask has;   /* keys that are there (v[k] is valid) */
	record_mask clash; /* keys given again with another value */
	uint32_t unknown_keys;
	bool fixed_text;   /* some text was not UTF-8 or held a lone surrogate: U+FFFD stands there now (not in REC_RAW) */
	bool not_measured; /* some value, nested ones included, is REC_NOT_MEASURED */
	struct record_value v[_RECORD_KEY_MAX];
};

/* Decoded strings. It never moves while strings of the current record borrow from it: room for all of the rest is made at once. */
struct record_scratch {
	char *p;
	size_t n, cap;
};

/* What stood between the value of one key and the next value the last time it was read. Most lines are written by one line of
 * code, so this is nearly always what stands there again. */
struct record_guess {
	uint64_t text[2], mask[2]; /* up to 16 bytes as they lie in memory; the mask covers `n` of them */
	uint8_t n;		   /* 0: nothing known */
	uint8_t key;		   /* enum record_key, or _RECORD_KEY_MAX for an unknown one */
};

/* Internals of ingest/record.c. */
struct record_scanner {
	struct record_scratch values, item;
	struct record_guess guess[_RECORD_KEY_MAX + 2]; /* by the key before; an unknown key and "none yet" come last */
	uint8_t slot[256];				/* hash of a name to enum record_key */
};

void record_scanner_init(struct record_scanner *sc);
void record_scanner_done(struct record_scanner *sc);

enum record_rc {
	RECORD_OK,   /* *ret_end is just behind the closing brace */
	RECORD_TORN, /* the text ends inside the object; *ret_end is the end of the text */
	RECORD_BAD,  /* not an object of the format; *ret_end is where it stopped */
	RECORD_NOMEM,
};

/* Read the object that begins at text[0] == '{'. `text` must be readable (any bytes) for RECORD_PADDING bytes behind its end. `ret`
 * means something after RECORD_OK only; its values are not cleared, look at `has` first. */
#define RECORD_PADDING 16
MUST_CHECK enum record_rc record_scan(struct record_scanner *sc, struct slice text, struct record *ret, size_t *ret_end);

const char *record_key_name(enum record_key k);

/* Walk the strings of an array value such as `members`. *pos starts at 0; false at the end. *ret_ok turns false when the value is
 * not an array of strings (or memory ran out). The string borrows from the value or the scanner's scratch until the next call; the
 * record is left as it is. Padding as for record_scan(): a value of a record has it. */
bool record_next_string(struct record_scanner *sc, struct slice array, size_t *pos, struct slice *ret, bool *ret_ok);
