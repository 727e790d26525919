-- ?1 run_no, ?2 hit_no, ?3 signature, ?4 source_no, ?5 second, ?6 subject, ?7 n, ?8 first_t, ?9 last_t, ?10 text, ?11 file_no, ?12 line
INSERT INTO main.log_hit (
	run_no, hit_no, signature, source_no, second, subject, n, first_t, last_t, text, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
)
