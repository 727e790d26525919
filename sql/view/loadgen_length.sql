-- loadgen_length: how long a load tool ran, where its output says so.
--
--   source   name
--   s        seconds
CREATE TEMP VIEW IF NOT EXISTS loadgen_length AS
WITH tool AS (
	SELECT source, max(value) FILTER (WHERE name = 'test_run_duration_ms') AS ms,
		max(value) FILTER (WHERE name = 'iterations' AND stat = 'count') AS n,
		max(value) FILTER (WHERE name = 'iterations' AND stat = 'rate') AS per_s
	FROM loadgen_metric
	GROUP BY source
)
SELECT source, coalesce(ms / 1000, n * 1.0 / per_s) AS s
FROM tool
WHERE coalesce(ms, n / per_s) IS NOT NULL;
