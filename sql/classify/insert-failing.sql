-- ?1 run_no, ?2 message_no, ?3 from_t, ?4 to_t, ?5 sender_pod, ?6 late_ack
INSERT INTO main.failing (
	run_no, message_no, from_t, to_t, sender_pod, late_ack
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6
)
