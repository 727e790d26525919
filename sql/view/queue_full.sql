-- queue_full: counters of full queues, by process.
--
--   name       of the counter
--   labels     {queue="topic_client",result="full"}, ...
--   source     scrape target
--   pod        of the target; NULL: not known
--   increase   over the load
--   closing    from close_start to the last sample
--   covers     1: samples lie on both sides of the load
--   presence   1: a queue that holds presence, no messages
--   file       path below the results directory, of the sample after the load
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS queue_full AS
SELECT x.name, x.labels, x.source, x.pod, x.increase, x.closing, x.covers,
	x.labels LIKE '%queue="topic_server"%' OR x.labels LIKE '%presence%' AS presence, x.file, x.line
FROM temp.metric_increase AS x
WHERE x.labels LIKE '%result="full"%' AND x.name LIKE '%queue%';
