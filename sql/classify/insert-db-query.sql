-- ?1 run_no, ?2 query_no, ?3 of, ?4 t, ?5 tab, ?6 kind, ?7 complete, ?8 count, ?9 found, ?10 holds, ?11 query,
-- ?12 check, ?13 file_no, ?14 line
INSERT INTO main.db_query (
	run_no, query_no, of, t, tab, kind, complete, count, found, holds, query, "check", file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
)
