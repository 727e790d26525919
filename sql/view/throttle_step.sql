-- throttle_step: CPU periods of a container from one sample to the next, those that touch the load.
--
--   pod         name
--   container   NULL: the whole pod
--   source      scrape target
--   from_t      the sample before, Unix ns
--   t           the sample, Unix ns
--   inside      1: all of the step lies in the load
--   periods     that the container ran in; NULL: the counter went back
--   throttled   that it was stopped in; NULL likewise
--   file        path below the results directory, of the sample
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS throttle_step AS
WITH load AS MATERIALIZED (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a, (SELECT t FROM temp.mark WHERE name = 'load_end') AS b
), look AS (
	SELECT s.pod, s.container, s.source, s.labels, x.t, max(x.value) FILTER (WHERE s.name = 'container_cpu_cfs_periods_total') AS periods,
		max(x.value) FILTER (WHERE s.name = 'container_cpu_cfs_throttled_periods_total') AS throttled, max(x.file) AS file, max(x.line) AS line
	FROM temp.container_series AS s JOIN temp.metric_sample AS x ON x.series_no = s.series_no
	WHERE s.name IN ('container_cpu_cfs_periods_total', 'container_cpu_cfs_throttled_periods_total') AND x.t IS NOT NULL
	GROUP BY s.pod, s.container, s.source, s.labels, x.t
), counter AS (
	SELECT look.*, lag(t) OVER w AS from_t, lag(periods) OVER w AS periods_before, lag(throttled) OVER w AS throttled_before
	FROM look
	WHERE periods IS NOT NULL AND throttled IS NOT NULL
	WINDOW w AS (PARTITION BY pod, container, source, labels ORDER BY t)
), step AS (
	SELECT counter.*, periods >= periods_before AND throttled >= throttled_before AS forward FROM counter
)
SELECT pod, container, source, from_t, t, from_t >= a AND t <= b AS inside,
	CASE WHEN forward THEN periods - periods_before END AS periods, CASE WHEN forward THEN throttled - throttled_before END AS throttled,
	file, line
FROM step, load
WHERE t > a AND from_t < b;
