-- pod_outage: when pods lost (nearly) all their clients within a second, between load_start and the end of the last drain window.
--
--   pod         of the server
--   gone_t      the first of these connections that ended, Unix ns
--   closed      connections that ended within a second from then
--   connected   accounts that were READY there just before
--   start_t     the next start-up line in its log, Unix ns; NULL: none, or no log
--   ready_t     the first account that was READY there again, Unix ns; NULL: none
--   refused     connections that it refused since
CREATE TEMP VIEW IF NOT EXISTS pod_outage AS
WITH bounds AS (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a,
		coalesce((SELECT t FROM temp.mark WHERE name = 'drain_end'), (SELECT max(window_end) FROM temp.scenario)) AS z
), touched AS (
	-- with two ends within a second: only there is it worth while to look at everybody
	SELECT DISTINCT pod FROM (
		SELECT pod, to_t - lag(to_t) OVER (PARTITION BY pod ORDER BY to_t) AS since
		FROM temp.presence, bounds
		WHERE ended IN ('closed', 'refused') AND pod IS NOT NULL AND to_t >= a AND to_t < z + 1000000000
	) WHERE since <= 1000000000
), change AS (
	SELECT pod, from_t AS t, 1 AS by, 0 AS ends FROM temp.presence WHERE pod IN touched
	UNION ALL
	SELECT pod, to_t, -1, ended IN ('closed', 'refused') FROM temp.presence WHERE pod IN touched AND to_t IS NOT NULL
), level AS (
	SELECT pod, t, ends, sum(by) OVER (PARTITION BY pod ORDER BY t RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS connected
	FROM change
), ending AS (
	SELECT pod, t, connected,
		count(*) OVER (PARTITION BY pod ORDER BY t RANGE BETWEEN CURRENT ROW AND 1000000000 FOLLOWING) AS closed
	FROM level WHERE ends
), gone AS (
	SELECT pod, t AS gone_t, closed, connected, t - lag(t) OVER (PARTITION BY pod ORDER BY t) AS since
	FROM ending, bounds
	WHERE t >= a AND t < z AND connected >= 2 AND closed * 10 >= connected * 9
)
SELECT g.pod, g.gone_t, g.closed, g.connected,
	(SELECT min(h.first_t) FROM temp.log_hit AS h
		WHERE h.signature = 'log.runtime.server_start' AND h.pod = g.pod AND h.first_t >= g.gone_t - 1000000000) AS start_t,
	(SELECT min(p.from_t) FROM temp.presence AS p WHERE p.pod = g.pod AND p.from_t > g.gone_t) AS ready_t,
	(SELECT count(*) FROM temp.conn AS c WHERE c.state = 'refused' AND c.pod = g.pod AND c.t >= g.gone_t) AS refused
FROM gone AS g
WHERE g.since IS NULL OR g.since > 1000000000;
