-- ?1 run_no, ?2 dead_no, ?3 message_no, ?4 t, ?5 error, ?6 code, ?7 topic, ?8 kafka_topic, ?9 state, ?10 check,
-- ?11 file_no, ?12 line
INSERT INTO main.dead_letter (
	run_no, dead_no, message_no, t, error, code, topic, kafka_topic, state, "check", file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
)
