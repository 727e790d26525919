-- What each series grew by over the load and its drain, and while clients left. ?1 run
INSERT INTO main.metric_increase (
	run_no, series_no, from_t, to_t, increase, resets, closing, first_value, last_value, covers, file_no, line
)
WITH bounds AS (
	SELECT max(CASE WHEN name = 'load_start' THEN t END) AS a, coalesce(max(CASE WHEN name = 'drain_end' THEN t END), max(CASE WHEN name = 'load_end' THEN t END)) AS z,
		max(CASE WHEN name = 'close_start' THEN t END) AS c
	FROM main.mark WHERE run_no = ?1
), sample AS (
	SELECT x.series_no, x.sample_no, x.t, x.value, x.file_no, x.line, a, z, c,
		x.value - lag(x.value) OVER (PARTITION BY x.series_no ORDER BY x.sample_no) AS by,
		max(CASE WHEN x.t <= a THEN x.t END) OVER (PARTITION BY x.series_no) AS before_t, min(x.t) OVER (PARTITION BY x.series_no) AS first_t,
		min(CASE WHEN x.t >= z THEN x.t END) OVER (PARTITION BY x.series_no) AS after_t, max(x.t) OVER (PARTITION BY x.series_no) AS last_t,
		max(CASE WHEN x.t <= c THEN x.t END) OVER (PARTITION BY x.series_no) AS close_t
	FROM main.metric_sample AS x, bounds
	WHERE x.run_no = ?1 AND x.t IS NOT NULL AND x.value IS NOT NULL AND abs(x.value) < 9e307
), step AS (
	SELECT *, coalesce(before_t, first_t) AS from_t, coalesce(after_t, last_t) AS to_t,
		CASE WHEN by > 0 THEN by WHEN by < 0 THEN max(value, 0) ELSE 0 END AS up
	FROM sample
)
SELECT ?1, series_no, from_t, to_t,
	coalesce(sum(CASE WHEN t > from_t AND t <= to_t THEN up END), 0.0),
	sum(CASE WHEN t > from_t AND t <= to_t AND by < 0 THEN 1 ELSE 0 END),
	coalesce(sum(CASE WHEN t > close_t THEN up END), 0.0),
	max(CASE WHEN t = from_t THEN value END), max(CASE WHEN t = to_t THEN value END),
	from_t <= a AND to_t >= z,
	max(CASE WHEN t = to_t THEN file_no END), max(CASE WHEN t = to_t THEN line END)
FROM step
WHERE a IS NOT NULL AND z IS NOT NULL
GROUP BY series_no, from_t, to_t, a, z
ORDER BY series_no
