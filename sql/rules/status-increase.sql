-- The increase of counters of SHOW GLOBAL STATUS over the load, their names in small letters with spaces around them in :names.
-- A lower value is a restart, and samples that do not enclose the load miss a part of it: the sum is a lower bound then, and the
-- least number of samples of one counter says why. No row of these names: samples is NULL. :run :names
WITH sample AS (
	SELECT coalesce(server, '') AS server, name, t, CAST(value AS INTEGER) AS value,
		lag(CAST(value AS INTEGER)) OVER (PARTITION BY server, name ORDER BY t, status_no) AS before
	FROM main.db_status
	WHERE run_no = :run AND instr(:names, ' ' || lower(name) || ' ') > 0
), counter AS (
	SELECT count(*) AS samples, min(t) AS first, max(t) AS last,
		sum(CASE WHEN value > before THEN value - before ELSE 0 END) AS increase, max(coalesce(value < before, 0)) AS restarted
	FROM sample
	GROUP BY server, name
)
SELECT sum(increase), min(samples), max(restarted),
	max(first) <= (SELECT t FROM main.mark WHERE run_no = :run AND name = 'load_start')
		AND min(last) >= (SELECT t FROM main.mark WHERE run_no = :run AND name = 'load_end') AS encloses
FROM counter
