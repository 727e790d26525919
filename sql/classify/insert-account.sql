-- ?1 run_no, ?2 account_no, ?3 name, ?4 user, ?5 agent_no, ?6 listed, ?7 ready, ?8 disconnects_in_load
INSERT INTO main.account (
	run_no, account_no, name, user, agent_no, listed, ready, disconnects_in_load
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
)
