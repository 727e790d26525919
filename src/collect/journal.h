/* collect/journal.h - what was asked of whom, when, and what became of it: a line for every request, in collect/...jsonl.
 *
 * The journal is evidence (docs/ledger.md, section 12): a permission that is missing or a server that is down becomes a note on
 * coverage in the report. Lines are flushed one by one. Text is redacted here. Threading: one thread. */
#pragma once
#include <stdint.h>

#include "base/err.h"
#include "collect/outdir.h"

enum asked_status {
	ASKED_OK,
	ASKED_LIMITED,	   /* answered, but cut at a limit that `why` names */
	ASKED_DENIED,	   /* the account may not; `why` names what it lacks: "list events in namespace im" */
	ASKED_UNREACHABLE, /* no connection, or it broke; `why` has the last reason and the number of tries */
	ASKED_TIMEOUT,
	ASKED_REFUSED, /* we did not ask: too dear (a full scan), or the configuration forbids it */
	ASKED_FAILED,  /* the server answered with another error */
	_ASKED_STATUS_MAX
};

/* The name in the file: "ok", "limited", ... */
const char *asked_status_name(enum asked_status s);

struct asked {
	const char *system; /* mysql, kafka, redis, prometheus, kubernetes */
	const char *source; /* instance, as the configuration names it */
	const char *what;   /* "rows of messages", "lag of group g", "pods" */
	const char *query;  /* the SQL, command, path asked; NULL: none. No secrets are in it */
	const char *file;   /* that holds the answer; NULL: none */
	enum asked_status status;
	const char *why;  /* NULL: ok */
	int64_t from, ns; /* when asked (Unix ns), how long it took, tries included */
	int64_t n;	  /* rows, objects, lines, samples; -1: not counted */
	unsigned tries;
};

/* Who answered, as far as it says so itself. Fields may be NULL. */
struct server_identity {
	const char *system, *source;
	const char *address; /* host:port, or socket, or URL; never with a password */
	const char *version; /* "10.11.19-MariaDB", "7.0.15", "v1.29.3" */
	const char *id;	     /* server_uuid, cluster id, run_id, ... */
	const char *role;    /* primary, replica, controller, ... */
	int64_t t;
};

struct journal;

/* A file of its own for each process that collects; made with the first line. `phase` stands in every line. `dir` NULL: nothing is
 * written, only counted. */
MUST_CHECK enum imp_rc journal_open(struct outdir *dir, const char *phase, struct journal **ret, struct imp_err *err);
MUST_CHECK enum imp_rc journal_asked(struct journal *j, const struct asked *a, struct imp_err *err);
MUST_CHECK enum imp_rc journal_server(struct journal *j, const struct server_identity *id, struct imp_err *err);

struct journal_counts {
	uint64_t requests; /* lines of journal_asked() */
	uint64_t denied;   /* of them */
};

struct journal_counts journal_counts(const struct journal *j);
/* The last server that said who it is, in one line: address, version, role. Empty: none did. Borrowed until the next one. */
const char *journal_last_server(const struct journal *j);
MUST_CHECK enum imp_rc journal_close(struct journal *j, struct imp_err *err); /* frees; NULL is fine */
