-- Migration 2: logs, metrics, queues, cluster state and foreign load tools; what each of these sources can testify to; which messages
-- failed, when and where.

CREATE TABLE run_pod (              -- run.json `pods_expected`
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	pod TEXT NOT NULL,
	PRIMARY KEY (run_no, pod)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_metric (           -- run.json `build.metrics_expected`
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	name TEXT NOT NULL,
	PRIMARY KEY (run_no, name)
) STRICT, WITHOUT ROWID;

-- Coverage: one line for each stream of evidence that is no ledger.
CREATE TABLE source (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	source_no INTEGER NOT NULL,
	kind TEXT NOT NULL,             -- log | metrics | kafka | redis | mysql | kube | health | loadgen
	name TEXT NOT NULL,             -- pod/container, scrape target, group/topic, instance, server, file, agent
	pod TEXT,
	container TEXT,
	format TEXT,                    -- cri, docker, kubectl, stern, loki, go, klog, json, text; prometheus, openmetrics, api; ...
	first_t INTEGER,                -- NULL: no time is known
	last_t INTEGER,
	samples INTEGER NOT NULL,       -- log events, metric samples, objects, ...
	gaps INTEGER NOT NULL,          -- holes that the source itself shows
	longest_gap_ns INTEGER,         -- the longest silence between two samples
	cut INTEGER NOT NULL,           -- 1: beginning or end is missing (rotated away, tail limit, torn)
	sampled INTEGER NOT NULL,       -- 1: it says itself that it leaves out some
	limited INTEGER NOT NULL,       -- 1: a limit was reached exactly
	damaged INTEGER NOT NULL,       -- lines or records that could not be used
	resent INTEGER NOT NULL,        -- lines that a collector sent twice
	zone TEXT,                      -- of a log: own | log_zone | other_line | anchored | unknown
	zone_offset_ns INTEGER,
	note TEXT,                      -- words of the collector itself, or what is odd
	file_no INTEGER,                -- its first file
	PRIMARY KEY (run_no, source_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_second (           -- how much a log said in each second
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	source_no INTEGER NOT NULL,
	second INTEGER NOT NULL,        -- Unix s
	lines INTEGER NOT NULL,
	first_t INTEGER NOT NULL,
	last_t INTEGER NOT NULL,
	PRIMARY KEY (run_no, source_no, second)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_signature (        -- what this ingest looked for
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	id TEXT NOT NULL,
	PRIMARY KEY (run_no, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_hit (              -- lines of one log that match one signature, by second and by what they name
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	hit_no INTEGER NOT NULL,        -- by source, then by place
	signature TEXT NOT NULL,
	source_no INTEGER NOT NULL,
	second INTEGER,                 -- Unix s; NULL: time unknown
	subject TEXT,                   -- what the signature's `subject` group caught; NULL: nothing, or too many to tell apart
	n INTEGER NOT NULL,
	first_t INTEGER,
	last_t INTEGER,
	text TEXT NOT NULL,             -- the first one, cut and without secrets
	file_no INTEGER NOT NULL,       -- of the first one
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, hit_no)
) STRICT, WITHOUT ROWID;

CREATE INDEX log_hit_signature ON log_hit (run_no, signature, second);

CREATE TABLE metric_series (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	series_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	name TEXT NOT NULL,             -- sample name: http_requests_total, latency_bucket, ...
	labels TEXT NOT NULL,           -- {a="b",c="d"} in byte order of the names; '' for none
	type TEXT NOT NULL,             -- counter | gauge | histogram | summary | untyped | ...
	PRIMARY KEY (run_no, series_no)
) STRICT, WITHOUT ROWID;

CREATE INDEX metric_series_name ON metric_series (run_no, name);

CREATE TABLE metric_sample (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	series_no INTEGER NOT NULL,
	sample_no INTEGER NOT NULL,     -- by time
	t INTEGER,                      -- NULL: undated
	value REAL,                     -- NULL: NaN, not measured
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, series_no, sample_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_increase (      -- how much a series grew over the load and its drain, as the sum of its steps upward
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	series_no INTEGER NOT NULL,
	from_t INTEGER NOT NULL,        -- the last sample at or before load_start, else the first one
	to_t INTEGER NOT NULL,          -- the first sample at or after drain_end (or the last drain window), else the last one
	increase REAL NOT NULL,         -- a lower bound where there were resets
	resets INTEGER NOT NULL,        -- steps downward
	closing REAL NOT NULL,          -- the same from the last sample at or before close_start to the last one
	first_value REAL,
	last_value REAL,
	covers INTEGER NOT NULL,        -- 1: samples lie on both sides of the load
	file_no INTEGER NOT NULL,       -- of the sample at to_t
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, series_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE kafka_lag (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	sample_no INTEGER NOT NULL,     -- by place
	t INTEGER NOT NULL,
	grp TEXT NOT NULL,
	topic TEXT NOT NULL,
	partition INTEGER NOT NULL,
	committed INTEGER,              -- NULL: no commit yet
	"end" INTEGER,
	start INTEGER,
	lag INTEGER,                    -- records behind; NULL: not known
	members INTEGER,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, sample_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE redis_info (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	info_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER,
	name TEXT NOT NULL,             -- evicted_keys, ...
	value TEXT NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, info_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE redis_slow (           -- SLOWLOG
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	slow_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER NOT NULL,
	id INTEGER,
	duration_us INTEGER NOT NULL,
	command TEXT NOT NULL,
	client TEXT,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, slow_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE kube_container (       -- one container of a pod as one `kubectl get` saw it
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	container_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER,                      -- when it was asked, where the file's name says
	namespace TEXT,
	pod TEXT NOT NULL,
	uid TEXT,
	node TEXT,
	container TEXT NOT NULL,
	phase TEXT,
	ready INTEGER,
	restarts INTEGER,
	image TEXT,
	image_id TEXT,
	cpu_request REAL,               -- cores
	cpu_limit REAL,
	memory_request INTEGER,         -- bytes
	memory_limit INTEGER,
	probes TEXT,                    -- liveness=/healthz readiness=/healthz, as far as they say
	started_t INTEGER,
	last_reason TEXT,               -- of the last termination: OOMKilled, Error, ...
	last_exit INTEGER,
	last_finished_t INTEGER,
	file_no INTEGER NOT NULL,
	PRIMARY KEY (run_no, container_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE kube_workload (        -- a container as a StatefulSet or Deployment declares it
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	workload_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER,
	kind TEXT NOT NULL,
	namespace TEXT,
	name TEXT NOT NULL,
	container TEXT NOT NULL,
	replicas INTEGER,
	ready_replicas INTEGER,
	image TEXT,
	cpu_request REAL,
	cpu_limit REAL,
	memory_request INTEGER,
	memory_limit INTEGER,
	probes TEXT,
	file_no INTEGER NOT NULL,
	PRIMARY KEY (run_no, workload_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE kube_event (
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	event_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER,
	type TEXT,
	reason TEXT NOT NULL,
	kind TEXT,                      -- of the object
	namespace TEXT,
	name TEXT,                      -- of the object
	n INTEGER NOT NULL,
	message TEXT,
	file_no INTEGER NOT NULL,
	PRIMARY KEY (run_no, event_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE kube_usage (           -- kubectl top, PodMetrics
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	usage_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER,
	pod TEXT NOT NULL,
	container TEXT,                 -- NULL: the whole pod
	cpu REAL,                       -- cores
	memory INTEGER,                 -- bytes
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, usage_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE host_sample (          -- health of a machine that runs a foreign load tool
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	sample_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	point INTEGER NOT NULL,         -- place in its array, from 0
	t INTEGER,                      -- NULL: the time carries no zone
	name TEXT NOT NULL,             -- cpu_pct, time_wait, port_use_ratio, fd_use_ratio, ...
	value REAL NOT NULL,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, sample_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE loadgen_metric (       -- what a foreign load tool says of its run
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	metric_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	name TEXT NOT NULL,             -- client_queue_ms, http_req_waiting{phase:steady}, ...
	stat TEXT NOT NULL,             -- count, rate, value, min, max, avg, med, p(95), threshold:p(99)<50, ...
	value REAL,                     -- of a threshold: 1 breached, 0 held
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, metric_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE presence (             -- when an account was READY, and on which pod
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	account_no INTEGER NOT NULL,
	from_t INTEGER NOT NULL,        -- its `ready`
	to_t INTEGER,                   -- the next line of the account: its `closed`, or whatever ended it; NULL: to the end of the ledger
	pod TEXT,
	ended TEXT,                     -- state of the line that ended it: closed | refused | open | ready; NULL with to_t
	why TEXT,                       -- of the line that ended it
	code INTEGER,
	peer TEXT,
	file_no INTEGER NOT NULL,       -- of the line that ended it, else of the `ready`
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, account_no, from_t)
) STRICT, WITHOUT ROWID;

CREATE TABLE failing (              -- messages that did not end as they should: class not ok, or a late ack
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	message_no INTEGER NOT NULL,
	from_t INTEGER NOT NULL,        -- first attempt
	to_t INTEGER NOT NULL,          -- last answer; from_t where there is none
	sender_pod TEXT,                -- that the sender was READY on last, at from_t or before; NULL: not known
	late_ack INTEGER NOT NULL,
	PRIMARY KEY (run_no, message_no)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 2;
