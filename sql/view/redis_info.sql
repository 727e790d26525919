-- redis_info: figures of Redis INFO.
--
--   info_no     counted from 0
--   source      instance
--   t           Unix ns; NULL: undated
--   name        evicted_keys, ...
--   value       text
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS redis_info AS
SELECT x.info_no, c.name AS source, x.t, x.name, x.value, f.path AS file, x.line
FROM main.redis_info AS x
LEFT JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = x.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
