-- ?1 run_no, ?2 topic_no, ?3 member_no, ?4 account_no
INSERT INTO main.member (
	run_no, topic_no, member_no, account_no
) VALUES (
	?1, ?2, ?3, ?4
)
