-- All series of a run, those of one process together. :run
SELECT s.series_no, s.name, s.labels, s.source_no, coalesce(c.pod, c.name), c.first_t, c.last_t,
	c.cut OR c.sampled OR c.limited OR c.damaged > 0
FROM main.metric_series AS s
JOIN main.source AS c ON c.run_no = s.run_no AND c.source_no = s.source_no
WHERE s.run_no = :run
ORDER BY s.source_no, s.series_no
