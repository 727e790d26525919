-- loadgen_metric: what foreign load tools say of their runs.
--
--   metric_no   counted from 0
--   source      file
--   name        client_queue_ms, http_req_waiting{phase:steady}, ...
--   stat        count, rate, value, min, max, avg, med, p(95), threshold:p(99)<50, ...
--   value       of a threshold: 1 breached, 0 held; NULL: not measured
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS loadgen_metric AS
SELECT x.metric_no, c.name AS source, x.name, x.stat, x.value, f.path AS file, x.line
FROM main.loadgen_metric AS x
LEFT JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = x.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
