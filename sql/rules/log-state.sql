-- What the logs of a run can say of its load: how many pods should have one and have none that covers it, and the first of these. :run
WITH log AS (
	SELECT coalesce(pod, name) AS pod, covers_load FROM source WHERE kind = 'log'
), listed AS (
	SELECT pod FROM main.run_pod WHERE run_no = :run
), connected AS (
	SELECT DISTINCT pod FROM main.conn WHERE run_no = :run AND pod IS NOT NULL
), expected AS (
	SELECT pod FROM listed
	UNION SELECT pod FROM connected WHERE NOT EXISTS (SELECT 1 FROM listed)
	UNION SELECT pod FROM log WHERE NOT EXISTS (SELECT 1 FROM listed) AND NOT EXISTS (SELECT 1 FROM connected)
), open AS (
	SELECT pod FROM expected WHERE pod NOT IN (SELECT pod FROM log WHERE covers_load) ORDER BY pod
)
SELECT (SELECT count(*) FROM open), (SELECT group_concat(pod, ', ') FROM (SELECT pod FROM open LIMIT 3))
