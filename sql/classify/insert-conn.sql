-- ?1 run_no, ?2 account_no, ?3 conn_no, ?4 t, ?5 state, ?6 pod, ?7 code, ?8 why, ?9 peer, ?10 file_no, ?11 line
INSERT INTO main.conn (
	run_no, account_no, conn_no, t, state, pod, code, why, peer, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
)
