-- ?1 run_no, ?2 sample_no, ?3 source_no, ?4 point, ?5 t, ?6 name, ?7 value, ?8 file_no, ?9 line
INSERT INTO main.host_sample (
	run_no, sample_no, source_no, point, t, name, value, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
)
