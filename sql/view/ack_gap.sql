-- ack_gap: stretches of the load in which nobody was acked although messages were sent from every pod that was in use.
--
--   from_t    the last ack before, Unix ns
--   to_t      the next ack, Unix ns; NULL: none came any more
--   gap_ns    between them
--   usual_ns  mean time between two acks over the load
--   sent      messages first written within it
--   pods      pods whose clients wrote them
--   burst     acks within the second after it
CREATE TEMP VIEW IF NOT EXISTS ack_gap AS
WITH bounds AS (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a, (SELECT t FROM temp.mark WHERE name = 'load_end') AS z
), ack AS (
	SELECT m.ack_t, lead(m.ack_t) OVER (ORDER BY m.ack_t) AS next_t, count(*) OVER () AS n
	FROM main.message AS m
	WHERE m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0 AND m.ack_t IS NOT NULL
), gap AS (
	SELECT ack_t AS from_t, next_t AS to_t, coalesce(next_t, z) - ack_t AS gap_ns, (z - a) / n AS usual_ns
	FROM ack, bounds
	WHERE ack_t < z AND ack_t >= a AND coalesce(next_t, z) - ack_t >= 1000000000 AND coalesce(next_t, z) - ack_t >= 20 * ((z - a) / n)
)
SELECT g.from_t, g.to_t, g.gap_ns, g.usual_ns, count(*) AS sent,
	(SELECT count(DISTINCT f.sender_pod) FROM main.failing AS f
		WHERE f.run_no = (SELECT run_no FROM temp.current_run) AND f.from_t BETWEEN g.from_t AND g.from_t + g.gap_ns) AS pods,
	(SELECT count(*) FROM ack AS k WHERE k.ack_t BETWEEN g.to_t AND g.to_t + 1000000000) AS burst
FROM gap AS g
JOIN main.message AS m ON m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0
	AND m.first_pub BETWEEN g.from_t AND g.from_t + g.gap_ns
GROUP BY g.from_t, g.to_t, g.gap_ns, g.usual_ns
HAVING count(*) >= 10
	-- those who wrote at other times were acked
	AND (SELECT sum(x.ack_t IS NOT NULL) * 2 - count(*) FROM main.message AS x
		WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND x.excluded = 0 AND x.first_pub NOT BETWEEN g.from_t AND g.from_t + g.gap_ns) > 0;
