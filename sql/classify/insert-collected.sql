-- ?1 run_no, ?2 request_no, ?3 t, ?4 phase, ?5 system, ?6 source, ?7 what, ?8 query, ?9 target, ?10 status, ?11 why, ?12 ns,
-- ?13 n, ?14 tries, ?15 file_no, ?16 line
INSERT INTO main.collected (
	run_no, request_no, t, phase, system, source, what, query, target, status, why, ns, n, tries, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
)
