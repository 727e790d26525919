-- The run that the views show, to begin with none.
CREATE TEMP TABLE IF NOT EXISTS current_run (
	only INTEGER PRIMARY KEY CHECK (only = 1),
	run_no INTEGER NOT NULL
) STRICT;
