-- ?1 run_no, ?2 message_no, ?3 first_member, ?4 body
INSERT INTO main.delivery_block (
	run_no, message_no, first_member, body
) VALUES (
	?1, ?2, ?3, ?4
)
