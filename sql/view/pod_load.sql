-- pod_load: how much of their limits containers used over the load: one line for each that has a limit and was measured or should have
-- been, and for each expected pod of which the cluster's state says nothing.
--
--   pod          name
--   container    NULL: the pod was not read
--   what         cpu | memory
--   most_seen    the largest share seen inside the load; NULL: nothing was measured
--   peak         the largest one there was; NULL: not known, because samples are missing or more than a minute apart
--   p95          95th percentile of the samples; NULL likewise
CREATE TEMP VIEW IF NOT EXISTS pod_load AS
WITH load AS MATERIALIZED (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a, (SELECT t FROM temp.mark WHERE name = 'load_end') AS b
), latest AS (
	SELECT pod, container, cpu_limit, memory_limit,
		row_number() OVER (PARTITION BY pod, container ORDER BY t DESC, container_no DESC) AS place
	FROM temp.kube_container
	WHERE phase IS NOT 'Succeeded'
), bound AS (
	SELECT pod, container, 'cpu' AS what, cpu_limit AS most FROM latest WHERE place = 1
	UNION ALL
	SELECT pod, container, 'memory', memory_limit FROM latest WHERE place = 1
), whole AS (
	SELECT pod, what, CASE WHEN count(*) = count(most) THEN sum(most) END AS most, count(*) AS containers
	FROM bound GROUP BY pod, what
), gauge AS (
	SELECT pod, container, 'cpu' AS what, -1 AS series_no, t, cpu AS used FROM temp.kube_usage WHERE cpu IS NOT NULL AND t IS NOT NULL
	UNION ALL
	SELECT pod, container, 'memory', -1, t, memory * 1.0 FROM temp.kube_usage WHERE memory IS NOT NULL AND t IS NOT NULL
	UNION ALL
	SELECT s.pod, s.container, 'memory', s.series_no, x.t, x.value
	FROM temp.container_series AS s JOIN temp.metric_sample AS x ON x.series_no = s.series_no
	WHERE s.name = 'container_memory_working_set_bytes' AND x.value IS NOT NULL AND x.t IS NOT NULL
), spent AS (
	SELECT s.pod, s.container, s.series_no, x.t, x.value - lag(x.value) OVER w AS s, lag(x.t) OVER w AS from_t
	FROM temp.container_series AS s JOIN temp.metric_sample AS x ON x.series_no = s.series_no
	WHERE s.name = 'container_cpu_usage_seconds_total' AND x.value IS NOT NULL AND x.t IS NOT NULL
	WINDOW w AS (PARTITION BY x.series_no ORDER BY x.t)
), sample AS (
	SELECT pod, container, what, series_no, t, t AS from_t, used,
		t - lag(t) OVER (PARTITION BY pod, container, what, series_no ORDER BY t) AS gap
	FROM gauge
	UNION ALL
	SELECT pod, container, 'cpu', series_no, t, from_t, CASE WHEN s >= 0 THEN s * 1e9 / (t - from_t) END, t - from_t
	FROM spent WHERE t > from_t
), placed AS (
	SELECT sample.*, a, b, (t > a OR from_t >= a) AND (from_t < b OR t <= b) AS within FROM sample, load
), ranked AS (
	SELECT placed.*, row_number() OVER (PARTITION BY pod, container, what, series_no, within ORDER BY used) AS rank,
		count(*) OVER (PARTITION BY pod, container, what, series_no, within) AS n
	FROM placed
), stream AS (
	SELECT pod, container, what, max(used) FILTER (WHERE from_t >= a AND t <= b) AS most_seen, max(used) FILTER (WHERE within) AS peak,
		max(used) FILTER (WHERE within AND rank = (n * 95 + 99) / 100) AS p95,
		min(from_t) <= a AND max(t) >= b AND coalesce(max(gap) FILTER (WHERE t > a AND t - gap < b), 0) <= 60000000000
			AND sum(within AND used IS NULL) = 0 AS covers
	FROM ranked
	GROUP BY pod, container, what, series_no
), share AS (
	SELECT s.pod, s.container, s.what, s.most_seen / b.most AS most_seen, CASE WHEN covers THEN s.peak / b.most END AS peak,
		CASE WHEN covers THEN s.p95 / b.most END AS p95
	FROM stream AS s JOIN bound AS b ON b.pod = s.pod AND b.container = s.container AND b.what = s.what
	UNION ALL
	SELECT s.pod, b.container, s.what, s.most_seen / w.most, CASE WHEN covers AND containers = 1 THEN s.peak / w.most END,
		CASE WHEN covers AND containers = 1 THEN s.p95 / w.most END
	FROM stream AS s JOIN whole AS w ON w.pod = s.pod AND w.what = s.what JOIN bound AS b ON b.pod = s.pod AND b.what = s.what
	WHERE s.container IS NULL
)
SELECT b.pod, b.container, b.what, max(s.most_seen) AS most_seen, max(s.peak) AS peak, max(s.p95) AS p95
FROM bound AS b LEFT JOIN share AS s ON s.pod = b.pod AND s.container = b.container AND s.what = b.what
WHERE b.most > 0
GROUP BY b.pod, b.container, b.what
HAVING count(s.pod) > 0 OR b.pod IN (SELECT pod FROM temp.expected_pod) OR NOT EXISTS (SELECT 1 FROM temp.expected_pod)
UNION ALL
SELECT pod, NULL, what, NULL, NULL, NULL
FROM temp.expected_pod, (SELECT 'cpu' AS what UNION ALL SELECT 'memory')
WHERE pod NOT IN (SELECT pod FROM latest);
