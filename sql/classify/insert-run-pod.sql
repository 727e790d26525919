-- ?1 run_no, ?2 pod
INSERT INTO main.run_pod (
	run_no, pod
) VALUES (
	?1, ?2
) ON CONFLICT DO NOTHING
