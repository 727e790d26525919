#include "config.h"

#include "rules/evidence.h"

#include <string.h>

#include "sql_gen.h"

/* In the same order: name, what is said when it is missing, what to bring. */
#define EVIDENCE(X) \
	X("plan", "there is no plan", "run.json") \
	X("topics", "who was to receive what is not known", "topics.jsonl") \
	X("conns", "no connection was recorded", "`conn` lines of the load generator") \
	X("pods", "no connection says which pod it was on", "`pod` in `conn` lines") \
	X("rows", "no database rows were read", "db/ with `row` and `rows` lines") \
	X("deads", "dead letters were not looked for", "db/ with `dead` and `deads` lines") \
	X("schema", "the tables' columns were not read", "db/ with `column` lines") \
	X("db_status", "the database's counters were not read", "db/ with `status` lines from before and after the load") \
	X("innodb", "InnoDB was not asked", "db/ with `innodb` lines from after the load") \
	X("health", "the load generator did not sample its health", "`health` lines of every agent") \
	X("start_marks", "no agent marked its own start", "`mark` lines named load_start of every agent") \
	X("calibration", "the load generator's own ceiling was never measured", "`calibration` lines of every agent") \
	X("manifest", "there is no manifest", "manifest.sha256") \
	X("logs", "no log was read", "logs/ with the logs of every pod over the load") \
	X("history", "nothing was read back through the product's history", "history/ with `hist` and `histq` lines") \
	X("clocks", "the agents' clocks were not measured", "`clock` lines of every agent") \
	X("planned_times", "no message says when it was due", "`plan` in `pub` lines") \
	X("cpu_throttling", "the pods' CPU throttling was not sampled", "metrics/ with container_cpu_cfs_*_periods_total") \
	X("metrics", "no server metrics were read", "metrics/ with snapshots from before and after the load") \
	X("kafka_lag", "no Kafka lag was sampled", "kafka/ with `lag` lines") \
	X("redis_info", "Redis was not asked", "redis/ with INFO text from before and after the load") \
	X("redis_latency", "Redis was not asked for its spikes, or had none", \
	    "redis/ with LATENCY as JSON, and latency-monitor-threshold set") \
	X("kubernetes", "the cluster's state was not read", "kube/ with pods and events") \
	X("loadgen", "no other load tool reported", "loadgen/ with the output of k6") \
	X("host", "no other load tool sampled its machine", "loadgen/ with an array of health samples")

static const struct evidence_kind {
	const char *name, *missing, *bring;
} kinds[] = {
#define X(name, missing, bring) { name, missing, bring },
	EVIDENCE(X)
#undef X
};

const char *const evidence_names[] = {
#define X(name, missing, bring) name,
	EVIDENCE(X)
#undef X
	    NULL
};

enum imp_rc
evidence_parse(const struct doc_node *list, evidence_set *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(list, DOC_LIST, err);
	evidence_set set = 0;

	for (const struct doc_node *c = list->first; c != NULL && rc == IMP_OK; c = c->next) {
		unsigned i;

		rc = doc_choice(c, "evidence", evidence_names, &i, err);
		if (rc == IMP_OK)
			set |= (evidence_set)1 << i;
	}
	if (rc == IMP_OK)
		*ret = set;
	return rc;
}

static evidence_set
set_of(struct slice name)
{
	for (unsigned i = 0; evidence_names[i] != NULL; i++)
		if (slice_eq(name, slice_of(evidence_names[i])))
			return (evidence_set)1 << i;
	return 0;
}

evidence_set
evidence_find(const char *name)
{
	return set_of(slice_of(name));
}

enum imp_rc
evidence_load(struct store *s, int64_t run_no, evidence_set *ret, struct imp_err *err)
{
	sqlite3_stmt *st;
	evidence_set set = 0;
	bool row = true;
	enum imp_rc rc = store_stmt(s, sql_rules_evidence, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), run_no);
	while (rc == IMP_OK && row) {
		rc = store_step_row(s, st, &row, err);
		if (rc == IMP_OK && row && sqlite3_column_int(st, 1))
			set |= set_of(store_column_slice(st, 0));
	}
	if (rc == IMP_OK)
		*ret = set;
	return rc;
}

void
evidence_add_missing(struct buf *out, evidence_set missing)
{
	const char *separator = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (missing & (evidence_set)1 << i) {
			buf_addf(out, "%s%s (bring %s)", separator, kinds[i].missing, kinds[i].bring);
			separator = "; ";
		}
}
