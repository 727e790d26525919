-- redis_latency: spikes that LATENCY of Redis shows. Without any, nothing took long, or nobody had told the server to watch.
--
--   spike_no      counted from 0
--   source        instance
--   t             Unix ns, whole seconds
--   event         command, fork, expire-cycle, ...
--   duration_ns   of the spike
--   max_ns        the longest of this event since the server began to count; NULL: not said
--   file          path below the results directory
--   line          from 1
CREATE TEMP VIEW IF NOT EXISTS redis_latency AS
SELECT x.spike_no, c.name AS source, x.t, x.event, x.duration_ns, x.max_ns, f.path AS file, x.line
FROM main.redis_latency AS x
LEFT JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = x.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
