-- ?1 run_no, ?2 info_no, ?3 source_no, ?4 t, ?5 name, ?6 value, ?7 file_no, ?8 line
INSERT INTO main.redis_info (
	run_no, info_no, source_no, t, name, value, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
)
