-- ?1 run_no, ?2 message_no, ?3 account_no, ?4 t, ?5 copy_no, ?6 kind, ?7 seq, ?8 topic_no
INSERT INTO main.extra_copy (
	run_no, message_no, account_no, t, copy_no, kind, seq, topic_no
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
)
