-- Which kinds of evidence a run has (src/rules/evidence.c). :run
SELECT 'plan', has_plan FROM main.run WHERE run_no = :run
UNION ALL SELECT 'topics', has_topics FROM main.run WHERE run_no = :run
UNION ALL SELECT 'conns', has_conns FROM main.run WHERE run_no = :run
UNION ALL SELECT 'pods', EXISTS (SELECT 1 FROM main.conn WHERE run_no = :run AND pod IS NOT NULL)
UNION ALL SELECT 'rows', EXISTS (SELECT 1 FROM main.db_query WHERE run_no = :run AND of = 'rows')
	OR EXISTS (SELECT 1 FROM main.db_row WHERE run_no = :run)
UNION ALL SELECT 'deads', EXISTS (SELECT 1 FROM main.db_query WHERE run_no = :run AND of = 'deads')
	OR EXISTS (SELECT 1 FROM main.dead_letter WHERE run_no = :run)
UNION ALL SELECT 'schema', EXISTS (SELECT 1 FROM main.schema_column WHERE run_no = :run)
UNION ALL SELECT 'db_status', EXISTS (SELECT 1 FROM main.db_status WHERE run_no = :run)
UNION ALL SELECT 'health', EXISTS (SELECT 1 FROM main.health WHERE run_no = :run)
UNION ALL SELECT 'start_marks', EXISTS (SELECT 1 FROM main.agent_mark WHERE run_no = :run AND name = 'load_start')
UNION ALL SELECT 'calibration', EXISTS (SELECT 1 FROM main.calibration WHERE run_no = :run)
UNION ALL SELECT 'manifest', EXISTS (SELECT 1 FROM main.file WHERE run_no = :run AND kind = 'manifest')
