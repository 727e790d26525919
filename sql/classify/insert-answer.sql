-- ?1 run_no, ?2 message_no, ?3 answer_no, ?4 kind, ?5 t, ?6 attempt_no, ?7 code, ?8 seq, ?9 why, ?10 bytes, ?11 text,
-- ?12 file_no, ?13 line
INSERT INTO main.answer (
	run_no, message_no, answer_no, kind, t, attempt_no, code, seq, why, bytes, text, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
)
