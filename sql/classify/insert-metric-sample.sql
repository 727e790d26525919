-- ?1 run_no, ?2 series_no, ?3 sample_no, ?4 t, ?5 value, ?6 file_no, ?7 line
INSERT INTO main.metric_sample (
	run_no, series_no, sample_no, t, value, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7
)
