-- ?1 run_no, ?2 agent_no, ?3 from_t, ?4 to_t, ?5 ended
INSERT INTO main.stretch (
	run_no, agent_no, from_t, to_t, ended
) VALUES (
	?1, ?2, ?3, ?4, ?5
)
