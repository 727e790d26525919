-- ?1 run_no, ?2 row_no, ?3 message_no, ?4 tab, ?5 topic, ?6 seq, ?7 id, ?8 created_t, ?9 check, ?10 file_no, ?11 line
INSERT INTO main.db_row (
	run_no, row_no, message_no, tab, topic, seq, id, created_t, "check", file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
)
