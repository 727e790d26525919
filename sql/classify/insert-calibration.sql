-- ?1 run_no, ?2 calibration_no, ?3 agent_no, ?4 t, ?5 ceiling_per_s, ?6 sockets, ?7 target, ?8 version, ?9 file_no,
-- ?10 line
INSERT INTO main.calibration (
	run_no, calibration_no, agent_no, t, ceiling_per_s, sockets, target, version, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
)
