-- ?1 run_no, ?2 clock_no, ?3 agent_no, ?4 t, ?5 offset_ns, ?6 rtt_ns, ?7 source, ?8 file_no, ?9 line
INSERT INTO main.clock (
	run_no, clock_no, agent_no, t, offset_ns, rtt_ns, source, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
)
