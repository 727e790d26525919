-- redis_slow: entries of SLOWLOG.
--
--   slow_no       counted from 0
--   source        instance
--   t             Unix ns, whole seconds
--   id            of the entry
--   duration_us   µs
--   command       without secrets
--   client        address; NULL: not said
--   file          path below the results directory
--   line          from 1
CREATE TEMP VIEW IF NOT EXISTS redis_slow AS
SELECT x.slow_no, c.name AS source, x.t, x.id, x.duration_us, x.command, x.client, f.path AS file, x.line
FROM main.redis_slow AS x
LEFT JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = x.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
