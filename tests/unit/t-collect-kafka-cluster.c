/* Lag and dead letters against the cluster that librdkafka brings for tests: ends, limits, records that cannot be read, a broker that
 * hangs, a partition without leader. */
#include "config.h"

#include "collect/kafka.h"

#include <librdkafka/rdkafka_mock.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "run-dir.h"
#include "tap.h"

#define LETTERS "  mid: {json: /mid}\n  error: {header: error}\n  code: {header: error, match: '(\\d+)'}\n  from: start\n"

#define OFFSET_FETCH 9 /* number of the request */

static struct arena arena;
static struct imp_err err;
static rd_kafka_t *producer; /* and the cluster's life */
static rd_kafka_mock_cluster_t *cluster;

/* A look-up: what a job of the final phase has. */
struct look {
	struct outdir *out;
	struct journal *journal;
	struct dead_tally *deads;
	struct run_facts run;
	struct collect_job job;
	struct kafka_settings *settings;
	void *state;
	char text[8192]; /* of the file of letters; empty: there is none */
	char deads_line[512];
};

static void
bail(const char *what)
{
	printf("Bail out! %s: %s\n", what, err.msg);
	exit(1);
}

static void
begin_cluster(void)
{
	char why[256];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	rd_kafka_conf_set(conf, "log_level", "0", NULL, 0);
	producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof(why));
	cluster = producer != NULL ? rd_kafka_mock_cluster_new(producer, 1) : NULL;
	if (cluster == NULL)
		bail("no cluster");
	rd_kafka_mock_topic_create(cluster, "dead", 2, 1);
	rd_kafka_mock_topic_create(cluster, "empty", 2, 1);
}

/* The test's own client sends to the cluster that it holds. */
static rd_kafka_t *
begin_sender(void)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	rd_kafka_conf_set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster), NULL, 0);
	return rd_kafka_new(RD_KAFKA_PRODUCER, conf, NULL, 0);
}

static void
produce(rd_kafka_t *to, int partition, int64_t t_ms, const char *value, const char *error)
{
	rd_kafka_resp_err_t e = rd_kafka_producev(to, RD_KAFKA_V_TOPIC("dead"), RD_KAFKA_V_PARTITION(partition),
	    RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_TIMESTAMP(t_ms), RD_KAFKA_V_VALUE((void *)value, strlen(value)),
	    RD_KAFKA_V_HEADER("error", error, (ssize_t)strlen(error)), RD_KAFKA_V_END);

	if (e != RD_KAFKA_RESP_ERR_NO_ERROR)
		bail(rd_kafka_err2str(e));
}

/* ------------------------------------------------------------------ a look-up */

static void
look_begin_with(struct look *l, const char *section, unsigned long long answer_max)
{
	const struct ask_limits limits = { .timeout_ns = 500000000, .tries = 2, .pause_ns = 1000000, .bytes_max = answer_max };
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	struct doc_node *root;
	void *settings;

	memset(l, 0, sizeof(*l));
	run_dir_clear();
	buf_addf(&text, "bootstrap: '%s'\n%s", rd_kafka_mock_cluster_bootstraps(cluster), section);
	if (doc_parse(&arena, "c.yaml", buf_slice(&text), &root, &err) != IMP_OK ||
	    collector_kafka.configure(&arena, root, "main", &limits, &settings, &err) != IMP_OK ||
	    outdir_open(run_dir, &l->out, &err) != IMP_OK || journal_open(l->out, "final", &l->journal, &err) != IMP_OK ||
	    dead_tally_new(1, &l->deads, &err) != IMP_OK)
		bail("no look-up");
	l->settings = settings;
	l->run = (struct run_facts){ .mid_prefix = "lt-1-",
		.baseline_start = INT64_MIN,
		.load_start = INT64_C(1790000000000000000),
		.load_end = INT64_MIN,
		.drain_end = INT64_MIN };
	l->job = (struct collect_job){ .out = l->out,
		.journal = l->journal,
		.run = &l->run,
		.phase = PHASE_FINAL,
		.check = 1,
		.deads = l->deads };
	if (collector_kafka.open(l->settings, &l->job, &l->state, &err) != IMP_OK)
		bail("not open");
}

static void
look_begin(struct look *l, const char *letters, unsigned long long answer_max)
{
	CLEANUP(buf_done) struct buf section = BUF_INIT(4096);

	buf_addf(&section, "dead_letters:\n%s", letters);
	look_begin_with(l, section.p, answer_max);
}

static void
read_file(const char *name, char *text, size_t max)
{
	FILE *f = fopen(run_dir_path(name), "re");

	if (f == NULL)
		return;
	text[fread(text, 1, max - 1, f)] = '\0';
	fclose(f);
}

static enum imp_rc
look_take(struct look *l)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(512);
	enum imp_rc rc = collector_kafka.whole(l->state, &l->job, &err);

	read_file("db/check-1/dead-kafka.jsonl", l->text, sizeof(l->text));
	dead_tally_end(l->deads, 7, &line);
	snprintf(l->deads_line, sizeof(l->deads_line), "%s", line.p);
	return rc;
}

static void
look_end(struct look *l)
{
	collector_kafka.close(l->state);
	collector_kafka.forget(l->settings);
	dead_tally_free(l->deads);
	is_int(journal_close(l->journal, &err), IMP_OK, "the journal is closed");
	outdir_close(l->out);
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		n++;
	return n;
}

#define DEAD(T, MID, ERROR, CODE) \
	"{\"ev\": \"dead\", \"t\": " T "000000, \"mid\": \"" MID "\", \"error\": \"" ERROR "\", " CODE \
	"\"kafka_topic\": \"dead\", \"state\": \"dead\", \"check\": 1}\n"

static void
test_whole(void)
{
	struct look l;

	look_begin(&l, "- topic: dead\n" LETTERS "- topic: empty\n" LETTERS, 1 << 20);
	is_int(look_take(&l), IMP_OK, "two topics");
	ok(strstr(l.text, DEAD("1790000001000", "lt-1-a", "Error 1264: out of range", "\"code\": 1264, ")) != NULL, "a letter");
	ok(strstr(l.text, DEAD("1790000002000", "lt-1-b", "bad", "")) != NULL, "one of the other partition, without a code");
	is_int((intmax_t)count_lines(l.text), 2, "and none of another run");
	is_str(l.deads_line, "{\"ev\": \"deads\", \"t\": 7, \"complete\": true, \"count\": 2, \"check\": 1}\n", "all of them");
	look_end(&l);
}

static void
test_again(void)
{
	static const char *const mids[] = { "lt-1-c", "lt-1-b" }, *const topics[] = { "t", "t" };
	struct look l;

	look_begin(&l, "- topic: dead\n" LETTERS, 1 << 20);
	l.job.mids = mids;
	l.job.mid_topics = topics;
	l.job.nmids = 2;
	is_int(look_take(&l), IMP_OK, "two mids again");
	is_str(l.text, DEAD("1790000002000", "lt-1-b", "bad", ""), "one of them is a letter");
	look_end(&l);
}

static void
test_limits(void)
{
	struct look l;

	look_begin(&l, "- topic: dead\n" LETTERS "  records_max: 3\n", 1 << 20);
	is_int(look_take(&l), IMP_OK, "exactly as many records as may be");
	look_end(&l);
	look_begin(&l, "- topic: dead\n" LETTERS "  records_max: 2\n", 1 << 20);
	is_int(look_take(&l), IMP_E_LIMIT, "one more");
	ok(strstr(l.deads_line, "\"complete\": false") != NULL, "is not complete");
	look_end(&l);
	look_begin(&l, "- topic: dead\n" LETTERS, 20);
	is_int(look_take(&l), IMP_E_LIMIT, "more bytes than may be");
	look_end(&l);
}

static void
test_missing_topic(void)
{
	struct look l;

	rd_kafka_mock_topic_set_error(cluster, "gone", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
	rd_kafka_mock_topic_set_error(cluster, "closed", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
	look_begin(&l, "- topic: gone\n" LETTERS "- topic: dead\n" LETTERS, 1 << 20);
	is_int(look_take(&l), IMP_E_UNAVAILABLE, "a topic that is not there");
	is_int((intmax_t)count_lines(l.text), 2, "the letters of the other are");
	ok(strstr(l.deads_line, "\"complete\": false, \"count\": 2") != NULL, "not complete");
	look_end(&l);
	look_begin(&l, "- topic: closed\n" LETTERS, 1 << 20);
	is_int(look_take(&l), IMP_E_UNAVAILABLE, "a topic that may not be read");
	is_int((intmax_t)journal_counts(l.journal).denied, 1, "is denied");
	look_end(&l);
}

/* The broker answers no fetch any more, after the offsets were had. */
static void
test_pause(void)
{
	struct look l;
	int64_t begin;

	look_begin(&l, "- topic: dead\n" LETTERS, 1 << 20);
	rd_kafka_mock_broker_push_request_error_rtts(cluster, 1, 1 /* Fetch */, 4, RD_KAFKA_RESP_ERR_NO_ERROR, 20000,
	    RD_KAFKA_RESP_ERR_NO_ERROR, 20000, RD_KAFKA_RESP_ERR_NO_ERROR, 20000, RD_KAFKA_RESP_ERR_NO_ERROR, 20000);
	begin = time_monotonic();
	is_int(look_take(&l), IMP_E_UNAVAILABLE, "a broker that hangs");
	ok(time_monotonic() - begin < 10 * NS_PER_S, "is not waited for longer than all tries take");
	ok(strstr(err.msg, "no answer in time") != NULL, "is said: %s", err.msg);
	ok(strstr(l.deads_line, "\"complete\": false") != NULL, "not complete");
	look_end(&l);
}

/* Nobody knows how far a partition without leader is, and the other is known all the same. (This cluster describes no groups.) */
static void
test_no_leader(void)
{
	struct look l;
	char text[4096] = "";

	rd_kafka_mock_topic_create(cluster, "lines", 2, 1);
	rd_kafka_mock_partition_set_leader(cluster, "lines", 0, -1);
	look_begin_with(&l, "groups: [{group: g, topics: [lines]}]\nmembers: false\n", 1 << 20);
	l.job.mark = "drain_end";
	is_int(collector_kafka.snapshot(l.state, &l.job, false, &err), IMP_OK, "lag");
	ok(!collector_kafka.drained(l.state), "not drained, as far as is known");
	read_file("kafka/lag@drain_end.jsonl", text, sizeof(text));
	ok(strstr(text, "\"partition\": 0, \"committed\": -1}\n") != NULL, "no offsets where there is no leader");
	ok(strstr(text, "\"partition\": 1, \"committed\": -1, \"start\": 0, \"end\": 0}\n") != NULL,
	    "those of the other partition");
	look_end(&l);
}

/* A coordinator that moved on, as after a broker's pause: the next try asks the new one. (librdkafka's issue 5040 ends here.) */
static void
test_coordinator_moved(void)
{
	struct look l;

	look_begin_with(&l, "groups: [{group: g, topics: [empty]}]\nmembers: false\n", 1 << 20);
	rd_kafka_mock_push_request_errors(cluster, OFFSET_FETCH, 1, RD_KAFKA_RESP_ERR_NOT_COORDINATOR);
	is_int(collector_kafka.snapshot(l.state, &l.job, true, &err), IMP_OK, "a coordinator that moved");
	ok(collector_kafka.drained(l.state), "both partitions were looked at");
	look_end(&l);
}

/* Last: the records stay. */
static void
test_unread(rd_kafka_t *sender)
{
	struct look l;

	produce(sender, 0, 1789999000000, "{\"old\":1}", "x"); /* ten minutes and more before the run */
	rd_kafka_flush(sender, 5000);
	look_begin(&l, "- topic: dead\n" LETTERS, 1 << 20);
	is_int(look_take(&l), IMP_OK, "a record without mid, from before the run");
	look_end(&l);
	produce(sender, 0, 1790000003000, "no JSON", "x");
	rd_kafka_flush(sender, 5000);
	look_begin(&l, "- topic: dead\n" LETTERS, 1 << 20);
	is_int(look_take(&l), IMP_E_DATA, "one that may be of the run");
	is_str(err.msg, "kafka 'main': 1 of 5 records of topic dead have no mid", "is said");
	ok(strstr(l.deads_line, "\"complete\": false, \"count\": 2") != NULL, "the others are there, and not all");
	look_end(&l);
}

int
main(void)
{
	rd_kafka_t *sender;

	begin_cluster();
	sender = begin_sender();
	produce(sender, 0, 1790000001000, "{\"mid\":\"lt-1-a\"}", "Error 1264: out of range");
	produce(sender, 1, 1790000002000, "{\"mid\":\"lt-1-b\"}", "bad");
	produce(sender, 1, 1790000002500, "{\"mid\":\"lt-2-a\"}", "bad");
	rd_kafka_flush(sender, 5000);
	test_whole();
	test_again();
	test_limits();
	test_missing_topic();
	test_no_leader();
	test_coordinator_moved();
	test_unread(sender);
	test_pause();
	rd_kafka_destroy(sender);
	rd_kafka_mock_cluster_destroy(cluster);
	rd_kafka_destroy(producer);
	arena_done(&arena);
	return done();
}
