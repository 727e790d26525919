-- health: health of the load generator, one line for each figure of a sample.
--
--   health_no   counted from 0
--   agent       name
--   t           Unix ns
--   name        cpu_pct, rss_bytes, ... as in the ledger
--   value       in the unit of its name
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS health AS
SELECT x.health_no, a.name AS agent, x.t, x.name, x.value, f.path AS file, x.line
FROM main.health AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
