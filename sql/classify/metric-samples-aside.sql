-- Samples of a series that came out of the order of time: their places in it, below 0, where they meet none of the old ones.
-- ?1 run_no, ?2 series_no
UPDATE main.metric_sample AS x SET sample_no = -1 - r.place
FROM (
	SELECT sample_no, row_number() OVER (ORDER BY t, file_no, line) - 1 AS place
	FROM main.metric_sample WHERE run_no = ?1 AND series_no = ?2
) AS r
WHERE x.run_no = ?1 AND x.series_no = ?2 AND x.sample_no = r.sample_no
