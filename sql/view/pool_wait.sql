-- pool_wait: counters of waits for a connection to the database, by process.
--
--   name       of the counter
--   labels     of the series
--   source     scrape target
--   from_t     Unix ns
--   to_t       Unix ns
--   increase   over the load and its drain
--   time       1: the counter is time spent, s; 0: how often
--   file       path below the results directory, of the sample after the load
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS pool_wait AS
SELECT x.name, x.labels, x.source, x.from_t, x.to_t, x.increase, x.name LIKE '%second%' OR x.name LIKE '%duration%' AS time, x.file, x.line
FROM temp.metric_increase AS x
WHERE x.name LIKE '%wait%' AND x.name NOT LIKE '%bucket'
	AND (x.name LIKE '%pool%' OR x.name LIKE '%sql%' OR x.name LIKE '%db\_%' ESCAPE '\' OR x.name LIKE '%conn%');
