/* tests/lib/sample-report.h - the run of sample-store.sql with a verdict written by hand, for tests of what shows them. */
#pragma once
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "report/model.h"

static const struct condition_result sample_conditions[] = {
	{ .name = { "p95", 3 },
	    .result = RULE_PASS,
	    .value = { "5 ms", 4 },
	    .value_json = { "5.000000", 8 },
	    .threshold = { "<= 500 ms", 9 } },
	{ .name = { "p99", 3 },
	    .result = RULE_PASS,
	    .value = { "5 ms", 4 },
	    .value_json = { "5.000000", 8 },
	    .threshold = { "<= 2 s", 6 },
	    .threshold_was = { "<= 1 s", 6 } },
};

static const char *const sample_missing[] = { "db_status", NULL };

static const struct rule_verdict sample_rules[] = {
	{ .id = { "loss.durable", 12 },
	    .title.en = { "Accepted messages are stored", 28 },
	    .fix.en = { "Look at the `dead` letters.", 27 },
	    .result = RULE_FAIL,
	    .unwaived = RULE_FAIL,
	    .proven = true,
	    .value = { "1 of 3", 6 },
	    .value_json = { "1", 1 },
	    .threshold = { "= 0", 3 },
	    .why = { "1 acked message is in no table", 30 },
	    .nevidence = 1,
	    .evidence_total = 4,
	    .evidence[0] = { .file = { "agents/a/a.jsonl", 16 }, .sha256 = { "aa01", 4 }, .line = 7, .query = { "SELECT 1", 8 } } },
	{ .id = { "ack.latency", 11 },
	    .title.en = { "Acks are fast", 13 },
	    .result = RULE_PASS,
	    .unwaived = RULE_PASS,
	    .value = { "p95 5 ms, p99 5 ms", 18 },
	    .value_json = { "5.000000", 8 },
	    .threshold = { "p95 <= 500 ms, p99 <= 2 s", 25 },
	    .conditions = sample_conditions,
	    .nconditions = 2,
	    .changed = true },
	{ .id = { "mysql", 5 },
	    .title.en = { "The database is well", 20 },
	    .result = RULE_NOT_EVALUATED,
	    .unwaived = RULE_NOT_EVALUATED,
	    .reason = RULE_REASON_MISSING_SOURCE,
	    .missing = sample_missing,
	    .threshold = { "= 0", 3 },
	    .why = { "the database's counters were not read", 37 } },
	{ .id = { "kafka.drain", 11 },
	    .title.en = { "The backlog drains", 18 },
	    .result = RULE_NOT_APPLICABLE,
	    .unwaived = RULE_NOT_APPLICABLE,
	    .threshold = { "<= 60 s", 7 },
	    .why = { "run.json does not list kafka", 28 } },
	{ .id = { "unknown", 7 },
	    .title.en = { "Every attempt is answered", 25 },
	    .result = RULE_WAIVED,
	    .unwaived = RULE_FAIL,
	    .value = { "1", 1 },
	    .value_json = { "1", 1 },
	    .threshold = { "= 0", 3 },
	    .why = { "1 message has no answer", 23 },
	    .waived_until = { "2026-12-31", 10 },
	    .waived_why = { "known | being mended", 20 } },
	{ .id = { "duplicate", 9 },
	    .title.en = { "Nothing arrives twice", 21 },
	    .result = RULE_PASS,
	    .unwaived = RULE_PASS,
	    .value = { "0", 1 },
	    .value_json = { "0", 1 },
	    .threshold = { "= 0", 3 } },
	{ .id = { "order", 5 },
	    .title.en = { "Messages arrive in order", 24 },
	    .result = RULE_PASS,
	    .unwaived = RULE_PASS,
	    .value = { "0", 1 },
	    .value_json = { "0", 1 },
	    .threshold = { "= 0", 3 } },
	{ .id = { "agent.cut_off", 13 },
	    .validity = true,
	    .title.en = { "A ledger has no end", 19 },
	    .result = RULE_PASS,
	    .unwaived = RULE_PASS,
	    .value = { "0", 1 },
	    .value_json = { "0", 1 },
	    .threshold = { "> 0", 3 } },
};

static const struct slice sample_reasons[] = { { "loss.durable", 12 } };

static const struct verdict sample_verdict = {
	.result = VERDICT_FAIL,
	.exit_code = 1,
	.reasons = sample_reasons,
	.nreasons = 1,
	.profile = { "release", 7 },
	.rules_digest = "d1d2",
	.rules = sample_rules,
	.nrules = sizeof(sample_rules) / sizeof(sample_rules[0]),
	.trust = TRUST_NOT_EVALUATED,
};

static inline void
sample_check(enum imp_rc rc, const struct imp_err *err)
{
	if (rc == IMP_OK)
		return;
	printf("Bail out! %s\n", err->msg);
	exit(1);
}

/* A store in memory with the sample run, which it has selected. The caller closes it. */
static inline struct store *
sample_store(void)
{
	const char *top = getenv("top_srcdir");
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);
	struct imp_err err = { 0 };
	struct store *s = NULL;
	char chunk[4096];
	size_t n;
	FILE *f;

	buf_addf(&text, "%s/tests/lib/sample-store.sql", top != NULL ? top : ".");
	f = fopen(text.p, "re");
	if (f == NULL) {
		printf("Bail out! no %s\n", text.p);
		exit(1);
	}
	buf_clear(&text);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&text, chunk, n);
	fclose(f);
	sample_check(store_open(":memory:", STORE_WRITE, 0, &s, &err), &err);
	sample_check(store_exec(s, text.p, &err), &err);
	sample_check(store_select_run(s, 7, &err), &err);
	return s;
}

/* Its report, with lists of at most `list_max`. The caller ends it with report_done(). */
static inline void
sample_report(struct store *s, size_t list_max, struct report *ret)
{
	struct imp_err err = { 0 };

	sample_check(report_load(ret, s, 7, list_max, &err), &err);
	ret->verdict = &sample_verdict;
}
