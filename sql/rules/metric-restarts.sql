-- Did a process behind a source start anew between the samples that enclose two moments? :run :source :from :to
WITH start AS (
	SELECT s.series_no, x.t, x.value
	FROM main.metric_series AS s
	JOIN main.metric_sample AS x ON x.run_no = s.run_no AND x.series_no = s.series_no
	WHERE s.run_no = :run AND s.source_no = :source AND s.name = 'process_start_time_seconds' AND x.value IS NOT NULL
		AND x.t IS NOT NULL
), bracket AS (
	SELECT series_no, max(CASE WHEN t <= :from THEN t END) AS a, min(CASE WHEN t >= :to THEN t END) AS b
	FROM start
	GROUP BY series_no
), moved AS (
	SELECT max(value) - min(value) > 1 AS anew
	FROM start JOIN bracket USING (series_no)
	WHERE t >= coalesce(a, t) AND t <= coalesce(b, t)
	GROUP BY series_no
)
SELECT coalesce(max(anew), 0) FROM moved
