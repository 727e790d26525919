-- run_pod: pods that run.json expects.
--
--   pod   name
CREATE TEMP VIEW IF NOT EXISTS run_pod AS
SELECT pod FROM main.run_pod WHERE run_no = (SELECT run_no FROM temp.current_run);
