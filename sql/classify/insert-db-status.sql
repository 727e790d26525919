-- ?1 run_no, ?2 status_no, ?3 t, ?4 server, ?5 name, ?6 value, ?7 file_no, ?8 line
INSERT INTO main.db_status (
	run_no, status_no, t, server, name, value, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
)
