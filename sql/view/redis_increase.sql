-- redis_increase: how much counters of Redis INFO grew over the load, as the sum of their steps upward.
--
--   source      instance
--   name        evicted_keys, ...
--   increase    a lower bound where it was restarted, or where the looks do not enclose the load
--   complete    1: neither of these
--   file        path below the results directory, of the last look
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS redis_increase AS
WITH load AS MATERIALIZED (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a, (SELECT t FROM temp.mark WHERE name = 'load_end') AS b
), look AS (
	SELECT source, max(t) FILTER (WHERE t <= a) AS from_t, min(t) FILTER (WHERE t >= b) AS to_t FROM temp.redis_info, load GROUP BY source
), sample AS (
	SELECT i.source, i.name, i.file, i.line, l.from_t IS NOT NULL AND l.to_t IS NOT NULL AS encloses,
		CAST(i.value AS INTEGER) - lag(CAST(i.value AS INTEGER)) OVER (PARTITION BY i.source, i.name ORDER BY i.t, i.info_no) AS step
	FROM temp.redis_info AS i JOIN look AS l ON l.source = i.source
	WHERE i.t >= coalesce(l.from_t, i.t) AND i.t <= coalesce(l.to_t, i.t) AND i.value GLOB '[0-9]*' AND i.value NOT GLOB '*[^0-9]*'
), process AS (
	SELECT i.source, count(DISTINCT i.value) > 1 AS anew
	FROM temp.redis_info AS i JOIN look AS l ON l.source = i.source
	WHERE i.name = 'run_id' AND i.t >= coalesce(l.from_t, i.t) AND i.t <= coalesce(l.to_t, i.t)
	GROUP BY i.source
)
SELECT s.source, s.name, total(max(s.step, 0)) AS increase,
	s.encloses AND coalesce(min(s.step) >= 0, 0) AND NOT coalesce(p.anew, 0) AS complete, max(s.file) AS file, max(s.line) AS line
FROM sample AS s LEFT JOIN process AS p ON p.source = s.source
GROUP BY s.source, s.name;
