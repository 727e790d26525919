-- agent_mark: `mark` lines as they stand in the ledgers.
--
--   mark_no   counted from 0
--   agent     name
--   name      of the mark
--   t         Unix ns
--   file      path below the results directory
--   line      from 1
CREATE TEMP VIEW IF NOT EXISTS agent_mark AS
SELECT x.mark_no, a.name AS agent, x.name, x.t, f.path AS file, x.line
FROM main.agent_mark AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
