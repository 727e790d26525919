-- ?1 run_no, ?2 file_no, ?3 path, ?4 kind, ?5 agent_no, ?6 bytes, ?7 sha256, ?8 manifest, ?9 compression, ?10 lines,
-- ?11 records, ?12 events, ?13 rejected, ?14 repaired, ?15 resent, ?16 cut
INSERT INTO main.file (
	run_no, file_no, path, kind, agent_no, bytes, sha256, manifest, compression, lines, records, events, rejected,
	repaired, resent, cut
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
)
