-- ?1 run_no, ?2 message_no, ?3 attempt_no, ?4 kind, ?5 t, ?6 plan_t, ?7 topic_no, ?8 sender_no, ?9 try,
-- ?10 request_id, ?11 why, ?12 size, ?13 file_no, ?14 line
INSERT INTO main.attempt (
	run_no, message_no, attempt_no, kind, t, plan_t, topic_no, sender_no, try, request_id, why, size, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
)
