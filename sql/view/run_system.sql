-- run_system: systems that belong to the run, as run.json says; no line at all: not stated.
--
--   system   mysql, kafka, redis, kubernetes, prometheus, ...
CREATE TEMP VIEW IF NOT EXISTS run_system AS
SELECT x.system
FROM main.run_system AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
