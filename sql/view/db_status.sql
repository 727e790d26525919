-- db_status: status figures and settings of the database servers.
--
--   status_no   counted from 0
--   t           Unix ns
--   server      as the line says
--   name        of the figure
--   value       text
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS db_status AS
SELECT x.status_no, x.t, x.server, x.name, x.value, f.path AS file, x.line
FROM main.db_status AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
