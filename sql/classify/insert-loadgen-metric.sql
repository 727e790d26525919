-- ?1 run_no, ?2 metric_no, ?3 source_no, ?4 name, ?5 stat, ?6 value, ?7 file_no, ?8 line
INSERT INTO main.loadgen_metric (
	run_no, metric_no, source_no, name, stat, value, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
)
