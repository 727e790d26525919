-- ?1 run_no, ?2 look_no, ?3 t, ?4 server, ?5 history_length, ?6 deadlock_t, ?7 deadlock, ?8 file_no, ?9 line
INSERT INTO main.db_innodb (
	run_no, look_no, t, server, history_length, deadlock_t, deadlock, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
)
