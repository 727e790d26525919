-- loadgen_contradiction: what a load tool says of itself that cannot be.
--
--   source   name
--   words    p(99) of http_req_duration is 8, below its p(95) of 9
CREATE TEMP VIEW IF NOT EXISTS loadgen_contradiction AS
WITH place (source, name, stat, value, q) AS (
	SELECT source, name, stat, value, CASE
		WHEN stat = 'min' THEN 0.0
		WHEN stat = 'med' THEN 50.0
		WHEN stat = 'max' THEN 100.0
		ELSE CAST(substr(stat, 3) AS REAL)
	END
	FROM loadgen_metric WHERE stat IN ('min', 'med', 'max') OR stat LIKE 'p(%)'
), ranked AS (
	SELECT *, lag(stat) OVER step AS before, lag(value) OVER step AS least
	FROM place
	WINDOW step AS (PARTITION BY source, name ORDER BY q, stat)
), one AS (
	SELECT source, name, max(value) FILTER (WHERE stat = 'count') AS n, max(value) FILTER (WHERE stat = 'rate') AS per_s,
		max(value) FILTER (WHERE stat = 'avg') AS mean, max(value) FILTER (WHERE stat = 'min') AS least,
		max(value) FILTER (WHERE stat = 'max') AS most, max(value) FILTER (WHERE stat = 'passes') AS passes,
		max(value) FILTER (WHERE stat = 'fails') AS fails, max(value) FILTER (WHERE stat = 'value') AS share
	FROM loadgen_metric
	GROUP BY source, name
)
SELECT source, printf('%s of %s is %g, below its %s of %g', stat, name, value, before, least) AS words
FROM ranked WHERE least > value * (1 + 1e-9)
UNION ALL
SELECT source, printf('the mean of %s is %g, outside of %g to %g', name, mean, coalesce(least, mean), coalesce(most, mean))
FROM one WHERE mean > most * (1 + 1e-9) OR mean * (1 + 1e-9) < least
UNION ALL
SELECT source, printf('%s is a share of %g', name, share)
FROM one WHERE passes IS NOT NULL AND (share > 1 OR share < 0)
UNION ALL
SELECT part.source, printf('%s counts %g, %s only %g', part.name, part.n, whole.name, whole.n)
FROM one AS part
JOIN one AS whole ON whole.source IS part.source AND whole.name = substr(part.name, 1, instr(part.name, '{') - 1)
WHERE part.n > whole.n
UNION ALL
SELECT run.source, printf('%g iterations a second of %g ms keep %g users busy, and there were at most %g', run.per_s, work.mean,
	run.per_s * work.mean / 1000, max(users.most))
FROM one AS run
JOIN one AS work ON work.source IS run.source AND work.name = 'iteration_duration'
JOIN one AS users ON users.source IS run.source AND users.name IN ('vus', 'vus_max')
WHERE run.name = 'iterations'
GROUP BY run.source
HAVING run.per_s * work.mean / 1000 > max(users.most) * 1.05 + 1
UNION ALL
SELECT timed.source, printf('%s has %g samples for %g', timed.name, timed.n, whole.n)
FROM one AS timed
JOIN one AS whole ON whole.source IS timed.source AND whole.name = CASE
	WHEN timed.name = 'iteration_duration' THEN 'iterations'
	WHEN timed.name IN ('http_req_duration', 'http_req_waiting') THEN 'http_reqs'
END
WHERE timed.n <> whole.n
UNION ALL
SELECT failed.source, printf('%g requests failed or did not, of %g', failed.passes + failed.fails, requests.n)
FROM one AS failed
JOIN one AS requests ON requests.source IS failed.source AND requests.name = 'http_reqs'
WHERE failed.name = 'http_req_failed' AND failed.passes + failed.fails <> requests.n;
