-- ?1 run_no, ?2 server_no, ?3 t, ?4 phase, ?5 system, ?6 source, ?7 address, ?8 version, ?9 id, ?10 role, ?11 file_no, ?12 line
INSERT INTO main.server_identity (
	run_no, server_no, t, phase, system, source, address, version, id, role, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
)
