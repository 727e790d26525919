-- ?1 run_no, ?2 slow_no, ?3 source_no, ?4 t, ?5 id, ?6 duration_us, ?7 command, ?8 client, ?9 file_no, ?10 line
INSERT INTO main.redis_slow (
	run_no, slow_no, source_no, t, id, duration_us, command, client, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
)
