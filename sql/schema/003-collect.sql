-- Migration 3: evidence that a collector took from live systems: what it asked of whom and who answered, spikes of Redis, InnoDB; and when
-- the schema was looked at, so that a change between two looks shows.

ALTER TABLE schema_column ADD COLUMN t INTEGER; -- NULL: nobody says when

CREATE TABLE collected (            -- a request of a collector, and what became of it
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	request_no INTEGER NOT NULL,    -- by place
	t INTEGER NOT NULL,             -- when it was asked
	phase TEXT,                     -- baseline | load | drain | final | recheck
	system TEXT NOT NULL,           -- mysql | kafka | redis | prometheus | kubernetes
	source TEXT,                    -- instance, as the configuration names it
	what TEXT NOT NULL,             -- rows of messages, ...
	query TEXT,                     -- the statement, command or path
	target TEXT,                    -- path of the file that holds the answer
	status TEXT NOT NULL,           -- ok | limited | denied | unreachable | timeout | refused | failed
	why TEXT,
	ns INTEGER,                     -- how long it took, tries included
	n INTEGER,                      -- rows, objects, lines, samples
	tries INTEGER,
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, request_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE server_identity (      -- who answered a collector, as it says itself
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	server_no INTEGER NOT NULL,     -- by place
	t INTEGER NOT NULL,
	phase TEXT,
	system TEXT NOT NULL,
	source TEXT,
	address TEXT,
	version TEXT,
	id TEXT,                        -- server_uuid, cluster id, run_id, ...
	role TEXT,                      -- primary, replica, controller, ...
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, server_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE redis_latency (        -- LATENCY: spikes of an event
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	spike_no INTEGER NOT NULL,
	source_no INTEGER NOT NULL,
	t INTEGER NOT NULL,             -- whole seconds
	event TEXT NOT NULL,            -- command, fork, ...
	duration_ns INTEGER NOT NULL,
	max_ns INTEGER,                 -- the longest of this event since the server began to count
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, spike_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE db_innodb (            -- SHOW ENGINE INNODB STATUS, in short
	run_no INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	look_no INTEGER NOT NULL,       -- by place
	t INTEGER NOT NULL,
	server TEXT,
	history_length INTEGER,
	deadlock_t INTEGER,             -- of the last deadlock; NULL: none, or not known when
	deadlock TEXT,                  -- its text
	file_no INTEGER NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (run_no, look_no)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 3;
