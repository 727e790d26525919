-- damage: records that could not be read, or only after repair.
--
--   damage_no   counted from 0
--   file        path below the results directory
--   line        from 1
--   agent       in whose folder the file lies
--   what        rejected | repaired
--   reason      in words
CREATE TEMP VIEW IF NOT EXISTS damage AS
SELECT x.damage_no, f.path AS file, x.line, a.name AS agent, x.what, x.reason
FROM main.damage AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
LEFT JOIN main.agent AS a ON a.run_no = f.run_no AND a.agent_no = f.agent_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
