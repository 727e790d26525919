-- run_metric: metrics that the build under test must expose, by run.json.
--
--   name   of the metric
CREATE TEMP VIEW IF NOT EXISTS run_metric AS
SELECT name FROM main.run_metric WHERE run_no = (SELECT run_no FROM temp.current_run);
