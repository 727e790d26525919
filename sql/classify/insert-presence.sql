-- ?1 run_no, ?2 account_no, ?3 from_t, ?4 to_t, ?5 pod, ?6 ended, ?7 why, ?8 code, ?9 peer, ?10 file_no, ?11 line
INSERT INTO main.presence (
	run_no, account_no, from_t, to_t, pod, ended, why, code, peer, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
)
