-- ?1 run_no, ?2 topic_no, ?3 scenario_no, ?4 members
INSERT INTO main.expectation (
	run_no, topic_no, scenario_no, members
) VALUES (
	?1, ?2, ?3, ?4
)
