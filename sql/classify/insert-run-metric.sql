-- ?1 run_no, ?2 name
INSERT INTO main.run_metric (
	run_no, name
) VALUES (
	?1, ?2
) ON CONFLICT DO NOTHING
