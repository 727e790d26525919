-- ?1 run_no, ?2 series_no, ?3 source_no, ?4 name, ?5 labels, ?6 type
INSERT INTO main.metric_series (
	run_no, series_no, source_no, name, labels, type
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6
)
