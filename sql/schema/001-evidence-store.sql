-- Migration 1: the evidence store.
--
-- Every table but `run` starts its key with run_no and goes with its run (ON DELETE CASCADE). Times are UTC Unix nanoseconds.
-- Numbers (`*_no`) count from 0 within their run, in an order that depends on the evidence alone, never on the order of reading.
-- Rule authors use the views of sql/view/, which show one run; the tables may change with a migration.

CREATE TABLE run (
	run_no INTEGER PRIMARY KEY,
	run_id TEXT NOT NULL UNIQUE,
	dir TEXT NOT NULL,              -- absolute path of the results directory
	ingest_no INTEGER NOT NULL,     -- grows with every ingest that changed something: the largest is "the run ingested last"
	inputs_sha256 TEXT NOT NULL,    -- over path, size, mtime and inode of every input: unchanged means nothing to parse
	has_plan INTEGER NOT NULL,      -- 1: there was a run.json
	tenant TEXT,
	server TEXT NOT NULL,           -- im-server | tinode
	gates TEXT NOT NULL,            -- profile that run.json asks for
	shared_host INTEGER NOT NULL,
	log_zone TEXT,
	mid_prefix TEXT,
	build_expected TEXT,
	planned_accounts INTEGER,
	has_topics INTEGER NOT NULL,
	has_conns INTEGER NOT NULL,
	hashed INTEGER NOT NULL         -- 0: --no-hash
) STRICT;

CREATE TABLE run_system (           -- run.json `systems`; no row at all: not stated, every gate applies
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	system TEXT NOT NULL,
	PRIMARY KEY (run_no, system)
) STRICT, WITHOUT ROWID;

CREATE TABLE file (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	file_no INTEGER NOT NULL,       -- in byte order of the path
	path TEXT NOT NULL,             -- below the results directory, '/' between parts
	kind TEXT NOT NULL,             -- plan timeline accounts topics ledger history db kafka redis metrics kube log loadgen manifest unread
	agent_no INTEGER,               -- whose folder it lies in
	bytes INTEGER NOT NULL,
	sha256 TEXT,                    -- of the bytes as they lie on disk; NULL with --no-hash
	manifest TEXT,                  -- NULL: not listed; ok | mismatch | missing
	compression TEXT NOT NULL,      -- none | gzip | zstd
	lines INTEGER NOT NULL,
	records INTEGER NOT NULL,
	events INTEGER NOT NULL,
	rejected INTEGER NOT NULL,
	repaired INTEGER NOT NULL,
	resent INTEGER NOT NULL,
	cut INTEGER NOT NULL,           -- 1: the compressed stream ends too early
	PRIMARY KEY (run_no, file_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE damage (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	damage_no INTEGER NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,          -- from 1
	what TEXT NOT NULL,             -- rejected | repaired
	reason TEXT NOT NULL,
	PRIMARY KEY (run_no, damage_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	agent_no INTEGER NOT NULL,
	name TEXT NOT NULL,
	planned INTEGER NOT NULL,       -- 1: named by run.json
	present INTEGER NOT NULL,       -- 1: left a ledger
	cut_off INTEGER NOT NULL,       -- 1: some stretch from a `start` has no `end`
	records INTEGER NOT NULL,       -- over all its files, re-sent ones once
	records_stated INTEGER,         -- `events` of its last `end`
	clock_worst_ns INTEGER,         -- the measured offset farthest from 0; NULL: never measured
	PRIMARY KEY (run_no, agent_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE stretch (              -- when an agent was watching
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	agent_no INTEGER NOT NULL,
	from_t INTEGER NOT NULL,
	to_t INTEGER NOT NULL,
	ended INTEGER NOT NULL,         -- 0: cut off
	PRIMARY KEY (run_no, agent_no, from_t)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	account_no INTEGER NOT NULL,    -- in byte order of the name
	name TEXT NOT NULL,
	user TEXT,
	agent_no INTEGER,               -- who watches it; NULL: nobody
	listed INTEGER NOT NULL,        -- 1: stands in accounts.jsonl
	ready INTEGER,                  -- READY at load_start; NULL: not evaluated
	disconnects_in_load INTEGER,
	PRIMARY KEY (run_no, account_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	topic_no INTEGER NOT NULL,      -- in byte order of the name
	name TEXT NOT NULL,
	kind TEXT,                      -- p2p | group; NULL: not known
	listed INTEGER NOT NULL,        -- 1: stands in topics.jsonl, once or with equal members
	members INTEGER NOT NULL,
	offline_members INTEGER,
	PRIMARY KEY (run_no, topic_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE member (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	topic_no INTEGER NOT NULL,
	member_no INTEGER NOT NULL,     -- place in topics.jsonl
	account_no INTEGER NOT NULL,
	PRIMARY KEY (run_no, topic_no, member_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE scenario (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	scenario_no INTEGER NOT NULL,
	id TEXT NOT NULL,
	kind TEXT NOT NULL,
	planned INTEGER,                -- as run.json says; NULL: it does not
	drain_ns INTEGER NOT NULL,
	warmup INTEGER NOT NULL,
	first_pub INTEGER,              -- NULL: nothing was written
	last_pub INTEGER,
	window_end INTEGER,             -- last_pub + drain_ns
	PRIMARY KEY (run_no, scenario_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	name TEXT NOT NULL,
	t INTEGER NOT NULL,
	source TEXT NOT NULL,           -- timeline | mark | derived
	PRIMARY KEY (run_no, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_mark (           -- `mark` lines as they stand in the ledgers
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	mark_no INTEGER NOT NULL,
	agent_no INTEGER,
	name TEXT NOT NULL,
	t INTEGER NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, mark_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE conn (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	account_no INTEGER NOT NULL,
	conn_no INTEGER NOT NULL,       -- by time, then by line
	t INTEGER NOT NULL,
	state TEXT NOT NULL,
	pod TEXT,
	code INTEGER,
	why TEXT,
	peer TEXT,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, account_no, conn_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE clock (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	clock_no INTEGER NOT NULL,
	agent_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	offset_ns INTEGER NOT NULL,
	rtt_ns INTEGER,
	source TEXT,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, clock_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE health (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	health_no INTEGER NOT NULL,
	agent_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	name TEXT NOT NULL,             -- cpu_pct, rss_bytes, ... as in the ledger
	value REAL NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, health_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE calibration (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	calibration_no INTEGER NOT NULL,
	agent_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	ceiling_per_s REAL NOT NULL,
	sockets INTEGER NOT NULL,
	target TEXT,
	version TEXT,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, calibration_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	message_no INTEGER NOT NULL,    -- by first attempt: time, then mid
	mid TEXT NOT NULL,
	topic_no INTEGER NOT NULL,
	sender_no INTEGER NOT NULL,     -- account
	agent_no INTEGER,               -- the sender's agent
	scenario_no INTEGER,            -- NULL: fits none
	excluded INTEGER NOT NULL,      -- 1: warm-up, in no figure
	plan_t INTEGER,                 -- of the first attempt that has one
	first_pub INTEGER,              -- NULL: never written
	window_end INTEGER,             -- drain window of its scenario; NULL: nothing was written there
	attempts INTEGER NOT NULL,      -- `pub` lines
	outcome TEXT NOT NULL,
	observed TEXT NOT NULL,
	persisted TEXT NOT NULL,
	class TEXT NOT NULL,
	code INTEGER,                   -- of the answer that decided: the ack, else the last refusal
	seq INTEGER,                    -- known seq: the ack's, else the one its deliveries agree on
	ack_t INTEGER,
	ack_ns INTEGER,                 -- from the attempt that was acked
	expected INTEGER NOT NULL,      -- receivers; 0 also where the expectation is unknown
	"unique" INTEGER NOT NULL,
	late INTEGER NOT NULL,
	unwitnessed INTEGER NOT NULL,
	missing INTEGER NOT NULL,
	duplicate INTEGER NOT NULL,
	disconnected INTEGER NOT NULL,  -- missing receivers that were not connected throughout
	copies INTEGER NOT NULL,        -- of any kind, at anybody
	in_history INTEGER NOT NULL,
	witness_conflict INTEGER NOT NULL,
	anomalies TEXT NOT NULL,        -- names with spaces between, '' for none
	last_layer TEXT,                -- acked without exact row: history | dead_letter | nowhere
	place TEXT,                     -- acked without exact row: before_first | between | after_last | alone
	PRIMARY KEY (run_no, message_no)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_mid ON message (run_no, mid);

CREATE TABLE attempt (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	message_no INTEGER NOT NULL,
	attempt_no INTEGER NOT NULL,    -- by time, then by line
	kind TEXT NOT NULL,             -- pub | skip
	t INTEGER NOT NULL,
	plan_t INTEGER,
	topic_no INTEGER NOT NULL,
	sender_no INTEGER NOT NULL,
	try INTEGER,
	request_id TEXT,
	why TEXT,                       -- skip
	size INTEGER,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, message_no, attempt_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE answer (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	message_no INTEGER NOT NULL,
	answer_no INTEGER NOT NULL,     -- by time, then by line
	kind TEXT NOT NULL,             -- ctrl | fail
	t INTEGER NOT NULL,
	attempt_no INTEGER,             -- that it answers
	code INTEGER,
	seq INTEGER,
	why TEXT,
	bytes INTEGER,
	text TEXT,                      -- ctrl `text`, fail `detail`
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, message_no, answer_no)
) STRICT, WITHOUT ROWID;

-- First copies at the members of the message's topic, packed (src/store/block.h). Read them through the virtual table `delivery`.
CREATE TABLE delivery_block (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	message_no INTEGER NOT NULL,
	first_member INTEGER NOT NULL,
	body BLOB NOT NULL,
	PRIMARY KEY (run_no, message_no, first_member)
) STRICT;

-- Every copy that is not in a block.
CREATE TABLE extra_copy (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	message_no INTEGER NOT NULL,
	account_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	copy_no INTEGER NOT NULL,       -- tells equal times apart
	kind TEXT NOT NULL,             -- first (seq of its own) | duplicate | stranger | wrong_topic
	seq INTEGER NOT NULL,
	topic_no INTEGER NOT NULL,
	PRIMARY KEY (run_no, message_no, account_no, t, copy_no)
) STRICT, WITHOUT ROWID;

-- Expected receivers of a scenario's messages on a topic: a bit for each member, lowest bit of byte 0 is member 0. The sender of a
-- p2p message is taken out by whoever reads it.
CREATE TABLE expectation (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	topic_no INTEGER NOT NULL,
	scenario_no INTEGER NOT NULL,   -- -1: messages that fit no scenario
	members BLOB NOT NULL,
	PRIMARY KEY (run_no, topic_no, scenario_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE history (              -- one line for each (mid, topic, seq) that was read back
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	history_no INTEGER NOT NULL,
	message_no INTEGER NOT NULL,
	topic_no INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	times INTEGER NOT NULL,         -- how often
	t INTEGER NOT NULL,             -- the first time
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, history_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE history_query (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	query_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	topic_no INTEGER NOT NULL,
	account_no INTEGER NOT NULL,    -- who asked
	lo INTEGER NOT NULL,
	hi INTEGER NOT NULL,
	status TEXT NOT NULL,
	found INTEGER,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, query_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE db_row (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	row_no INTEGER NOT NULL,
	message_no INTEGER,             -- NULL: foreign
	tab TEXT NOT NULL,              -- table
	topic TEXT NOT NULL,
	seq INTEGER NOT NULL,
	id TEXT,
	created_t INTEGER,
	"check" INTEGER NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, row_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE db_query (             -- `rows` and `deads` lines
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	query_no INTEGER NOT NULL,
	of TEXT NOT NULL,               -- rows | deads
	t INTEGER NOT NULL,
	tab TEXT,
	kind TEXT,
	complete INTEGER NOT NULL,      -- as stated
	count INTEGER NOT NULL,
	found INTEGER NOT NULL,         -- distinct rows that are here
	holds INTEGER NOT NULL,         -- 1: absence may stand on it
	query TEXT,
	"check" INTEGER NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, query_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_letter (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	dead_no INTEGER NOT NULL,
	message_no INTEGER,             -- NULL: foreign
	t INTEGER NOT NULL,
	error TEXT NOT NULL,
	code INTEGER,
	topic TEXT,
	kafka_topic TEXT,
	state TEXT NOT NULL,            -- dead | replayed
	"check" INTEGER NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, dead_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE schema_column (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	column_no INTEGER NOT NULL,
	tab TEXT NOT NULL,
	name TEXT NOT NULL,
	type TEXT NOT NULL,
	nullable INTEGER,
	extra TEXT,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, column_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE db_status (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	status_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	server TEXT,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, status_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE ingest_count (         -- `ingest` of the JSON report: counters over all files, by dotted name (foreign.data, ...)
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	name TEXT NOT NULL,
	value INTEGER NOT NULL,
	PRIMARY KEY (run_no, name)
) STRICT, WITHOUT ROWID;

-- The figures of the truth model: one line for each key of the JSON report's stable part, by dotted name ("delivery.missing",
-- "classes.ok", "latency_ms.ack.p95", "by_code.202"). Latencies are integer nanoseconds here. NULL is "not evaluated".
CREATE TABLE figure (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	scope TEXT NOT NULL,            -- total | scenario | agent
	id TEXT NOT NULL,               -- of the scenario or agent; '' in total
	name TEXT NOT NULL,
	value ANY,
	PRIMARY KEY (run_no, scope, id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE matrix (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	scope TEXT NOT NULL,
	id TEXT NOT NULL,
	outcome TEXT NOT NULL,
	observed TEXT NOT NULL,
	persisted TEXT NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (run_no, scope, id, outcome, observed, persisted)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	finding_no INTEGER NOT NULL,
	id TEXT NOT NULL,               -- dotted, as in the catalogue of causes
	detail TEXT NOT NULL,           -- one sentence with the figures
	count INTEGER NOT NULL,         -- of what the sentence says
	file_no INTEGER,                -- the first place
	line INTEGER,
	PRIMARY KEY (run_no, finding_no)
) STRICT, WITHOUT ROWID;

-- Whose file it is ("IMPA"), and the number of this migration.
PRAGMA application_id = 1229803585;
PRAGMA user_version = 1;
