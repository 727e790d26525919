-- ?1 run_no, ?2 scope, ?3 id, ?4 name, ?5 value
INSERT INTO main.figure (
	run_no, scope, id, name, value
) VALUES (
	?1, ?2, ?3, ?4, ?5
)
