-- A series of a rule's test, unless it is there. :source :name :labels
INSERT INTO main.metric_series (run_no, series_no, source_no, name, labels, type)
SELECT 1, (SELECT count(*) FROM main.metric_series), :source, :name, :labels, 'untyped'
WHERE NOT EXISTS (SELECT 1 FROM main.metric_series
	WHERE run_no = 1 AND source_no = :source AND name = :name AND labels = :labels)
