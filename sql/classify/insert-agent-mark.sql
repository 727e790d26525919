-- ?1 run_no, ?2 mark_no, ?3 agent_no, ?4 name, ?5 t, ?6 file_no, ?7 line
INSERT INTO main.agent_mark (
	run_no, mark_no, agent_no, name, t, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7
)
