-- Who was asked for evidence and who answered: one line for each instance and server that answered it, those that nobody answered for
-- too. `requests` and `failed` of the instance stand at its first line. Of the selected run.
WITH seen AS (
	SELECT *, row_number() OVER w AS place, max(t) OVER w AS last_t, max(other) OVER w AS was_other, max(lags) OVER w AS lagged
	FROM server_identity
	WINDOW w AS (PARTITION BY system, source, coalesce(id, address) ORDER BY t, server_no
		ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
), identity AS (
	SELECT system, source, id, t AS first_t, last_t, address, version, role, was_other AS other, lagged AS lags, file, line
	FROM seen WHERE place = 1
), asked AS (
	SELECT system, source, count(*) AS requests, sum(status <> 'ok') AS failed, min(t) AS first_t, max(t) AS last_t
	FROM collected GROUP BY system, source
), instance AS (
	SELECT system, source FROM identity UNION SELECT system, source FROM asked
), line AS (
	SELECT n.system, n.source, i.address, i.version, i.id, i.role, coalesce(i.first_t, a.first_t) AS first_t,
		coalesce(i.last_t, a.last_t) AS last_t, coalesce(i.other, 0) AS other, coalesce(i.lags, 0) AS lags, a.requests, a.failed, i.file, i.line,
		row_number() OVER (PARTITION BY n.system, n.source ORDER BY i.first_t, i.id) AS place
	FROM instance AS n
	LEFT JOIN identity AS i ON i.system = n.system AND i.source IS n.source
	LEFT JOIN asked AS a ON a.system = n.system AND a.source IS n.source
)
SELECT system, source, address, version, id, role, first_t, last_t, other, lags, CASE WHEN place = 1 THEN coalesce(requests, 0) END,
	CASE WHEN place = 1 THEN coalesce(failed, 0) END, file, line
FROM line
ORDER BY system, source, place;
