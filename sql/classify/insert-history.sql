-- ?1 run_no, ?2 history_no, ?3 message_no, ?4 topic_no, ?5 seq, ?6 times, ?7 t, ?8 file_no, ?9 line
INSERT INTO main.history (
	run_no, history_no, message_no, topic_no, seq, times, t, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
)
