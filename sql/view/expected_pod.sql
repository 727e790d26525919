-- expected_pod: pods that the run should have evidence of: those that run.json lists, else those that connections name.
--
--   pod   name
CREATE TEMP VIEW IF NOT EXISTS expected_pod AS
SELECT pod FROM temp.run_pod
UNION
SELECT pod FROM temp.conn WHERE pod IS NOT NULL AND NOT EXISTS (SELECT 1 FROM temp.run_pod);
