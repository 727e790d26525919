-- ?1 run_no, ?2 query_no, ?3 t, ?4 topic_no, ?5 account_no, ?6 lo, ?7 hi, ?8 status, ?9 found, ?10 file_no, ?11 line
INSERT INTO main.history_query (
	run_no, query_no, t, topic_no, account_no, lo, hi, status, found, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
)
