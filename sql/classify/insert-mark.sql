-- ?1 run_no, ?2 name, ?3 t, ?4 source
INSERT INTO main.mark (
	run_no, name, t, source
) VALUES (
	?1, ?2, ?3, ?4
)
