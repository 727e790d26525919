-- A sample of a rule's test; later ones are given later. :source :name :labels :t :value :file :line
INSERT INTO main.metric_sample (run_no, series_no, sample_no, t, value, file_no, line)
SELECT 1, s.series_no, (SELECT count(*) FROM main.metric_sample AS x WHERE x.series_no = s.series_no), :t, :value, :file, :line
FROM main.metric_series AS s
WHERE s.run_no = 1 AND s.source_no = :source AND s.name = :name AND s.labels = :labels
