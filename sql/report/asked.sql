-- Requests of collectors that did not get all they asked for, equal ones together: of the selected run.
WITH alike AS (
	SELECT *, row_number() OVER w AS place, count(*) OVER w AS times, max(t) OVER w AS last_t
	FROM collected
	WHERE status <> 'ok'
	WINDOW w AS (PARTITION BY system, source, what, status, why ORDER BY request_no
		ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
SELECT system, source, what, status, why, times, t, last_t, target, file, line
FROM alike
WHERE place = 1
ORDER BY system, source, request_no;
