-- host_sample: health of machines that ran a foreign load tool, one line for each figure of a sample.
--
--   sample_no   counted from 0
--   source      file
--   point       place of the sample in its file, from 0
--   t           Unix ns; NULL: the time carries no zone
--   name        cpu_pct, time_wait, port_use_ratio, fd_use_ratio, ...
--   value       in the unit of its name
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS host_sample AS
SELECT x.sample_no, c.name AS source, x.point, x.t, x.name, x.value, f.path AS file, x.line
FROM main.host_sample AS x
LEFT JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = x.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
