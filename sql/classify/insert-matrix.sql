-- ?1 run_no, ?2 scope, ?3 id, ?4 outcome, ?5 observed, ?6 persisted, ?7 count
INSERT INTO main.matrix (
	run_no, scope, id, outcome, observed, persisted, count
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7
)
