-- pod_life: whether containers held through the load, one line for each, and for each pod of which the cluster's state says nothing.
--
--   pod              name
--   container        NULL: the pod was not read
--   restarts_least   restarts between load_start and load_end, at least
--   restarts_most    at most; NULL: not known
--   ooms_least       times that it was killed for want of memory, at least
--   ooms_most        at most; NULL: not known
--   unready          1: it was seen not READY during the load
--   ready_after      1: it was READY after the load; NULL: not known
--   file             path below the results directory, of the last look that was used
CREATE TEMP VIEW IF NOT EXISTS pod_life AS
WITH load AS MATERIALIZED (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a, (SELECT t FROM temp.mark WHERE name = 'load_end') AS b
), look AS (
	SELECT k.*, a, b, row_number() OVER (PARTITION BY pod, container, t <= a ORDER BY t DESC, container_no DESC) AS back,
		row_number() OVER (PARTITION BY pod, container, t >= b ORDER BY t, container_no) AS ahead
	FROM temp.kube_container AS k, load
	WHERE k.phase IS NOT 'Succeeded'
), seen AS (
	SELECT pod, container, a, b, max(t BETWEEN a AND b AND ready = 0) AS unready,
		count(DISTINCT CASE WHEN last_finished_t BETWEEN a AND b AND last_reason = 'OOMKilled' THEN last_finished_t END) AS ooms,
		count(DISTINCT CASE WHEN last_finished_t BETWEEN a AND b THEN last_finished_t END) AS ends, max(file) AS file
	FROM look GROUP BY pod, container
), life AS (
	SELECT s.pod, s.container, s.a, s.b, s.unready, s.ooms, s.ends, z.t AS t, z.restarts, z.ready, z.started_t, z.last_reason,
		z.last_finished_t, coalesce(z.file, s.file) AS file, p.uid <> z.uid OR p.restarts > z.restarts AS another,
		CASE WHEN p.restarts <= z.restarts AND (p.uid = z.uid OR p.uid IS NULL OR z.uid IS NULL) THEN z.restarts - p.restarts END AS more
	FROM seen AS s
	LEFT JOIN look AS z ON z.pod = s.pod AND z.container = s.container AND z.t >= z.b AND z.ahead = 1
	LEFT JOIN look AS p ON p.pod = s.pod AND p.container = s.container AND p.t <= p.a AND p.back = 1
), counted AS (
	SELECT life.*,
		CASE
			WHEN started_t <= a THEN 0
			WHEN another THEN 1
			WHEN started_t > b THEN ends
			ELSE max(ends, coalesce(more, 0), coalesce(restarts > 0 AND started_t <= b, 0))
		END AS restarts_least,
		CASE WHEN started_t <= a THEN 0 WHEN another THEN NULL ELSE more END AS restarts_most
	FROM life
)
SELECT pod, container, restarts_least, max(restarts_least, restarts_most) AS restarts_most, ooms AS ooms_least,
	CASE WHEN restarts_most = 0 OR (restarts_most = 1 AND last_reason IS NOT NULL) THEN ooms END AS ooms_most, unready,
	ready AS ready_after, file
FROM counted
UNION ALL
SELECT pod, NULL, 0, NULL, 0, NULL, 0, NULL, NULL FROM temp.expected_pod WHERE pod NOT IN (SELECT pod FROM look);
