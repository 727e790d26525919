/* collect/prometheus.h - the parts of the Prometheus collector among themselves: settings, answers, ranges in parts. */
#pragma once
#include "collect/collector.h"
#include "collect/http_client.h"
#include "collect/http_target.h"

/* A range query that gives more points of a series is refused by the server. */
#define PROMETHEUS_POINTS_MAX 11000
#define PROMETHEUS_PARTS_MAX 1000 /* of one range */

struct prometheus_scrape {
	const char *source; /* a pod, mostly: the file is named after it */
	struct http_target at;
};

struct prometheus_query {
	const char *name, *text;
	int64_t step_ms; /* 0: an instant query */
};

struct prometheus_settings {
	const char *source;
	struct ask_limits limits;
	struct prometheus_scrape *targets;
	size_t ntargets;
	struct http_target server; /* url NULL: none */
	struct prometheus_query *queries;
	size_t nqueries;
	int64_t margin_ns; /* asked for before the load and after the drain */
};

enum imp_rc prometheus_configure(struct arena *arena, const struct doc_node *map, const char *source,
    const struct ask_limits *limits, void **ret_settings, struct imp_err *err);
void prometheus_forget(void *settings);

/* ------------------------------------------------------------------ answers; pure */

/* What stands around the data of an answer of the HTTP API; text as it came, cut. */
struct prometheus_answer {
	bool success;
	char error[320];    /* "bad_data: ..." */
	char warnings[320]; /* all of them, "; " between; empty: none */
};

/* False: it is no answer of Prometheus, or a torn one. The data themselves are passed over, not checked. */
bool prometheus_answer_read(struct slice body, struct prometheus_answer *ret);

/* ------------------------------------------------------------------ ranges; pure */

struct prometheus_range {
	int64_t from_ms, to_ms, step_ms;
};

/* The whole range, its start moved back to a multiple of the step: then the same points are asked for each time. */
struct prometheus_range prometheus_range_of(int64_t from_ns, int64_t to_ns, int64_t step_ms);
uint64_t prometheus_range_parts(const struct prometheus_range *r);
/* Part `n` of them; they do not overlap, and each has as many points as an answer may have. */
struct prometheus_range prometheus_range_part(const struct prometheus_range *r, uint64_t n);

/* ------------------------------------------------------------------ the server */

/* Who answers? Other servers of the same API may not know the question: nothing depends on it. *ret_gone: nobody does. */
MUST_CHECK enum imp_rc prometheus_identify(struct http *server, const struct prometheus_settings *s, const struct collect_job *job,
    bool *ret_gone, struct imp_err *err);

/* Ask all queries of the settings, and who answers. */
MUST_CHECK enum imp_rc prometheus_ask(struct http *server, const struct prometheus_settings *s, const struct collect_job *job,
    struct imp_err *err);
