-- ?1 run_no, ?2 scenario_no, ?3 id, ?4 kind, ?5 planned, ?6 drain_ns, ?7 warmup, ?8 first_pub, ?9 last_pub,
-- ?10 window_end
INSERT INTO main.scenario (
	run_no, scenario_no, id, kind, planned, drain_ns, warmup, first_pub, last_pub, window_end
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
)
