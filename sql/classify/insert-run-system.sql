-- ?1 run_no, ?2 system
INSERT INTO main.run_system (
	run_no, system
) VALUES (
	?1, ?2
)
