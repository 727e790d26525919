-- ?1 run_no, ?2 source_no, ?3 second, ?4 lines, ?5 first_t, ?6 last_t
INSERT INTO main.log_second (
	run_no, source_no, second, lines, first_t, last_t
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6
)
