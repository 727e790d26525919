-- ?1 run_no, ?2 agent_no, ?3 name, ?4 planned, ?5 present, ?6 cut_off, ?7 records, ?8 records_stated,
-- ?9 clock_worst_ns
INSERT INTO main.agent (
	run_no, agent_no, name, planned, present, cut_off, records, records_stated, clock_worst_ns
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
)
