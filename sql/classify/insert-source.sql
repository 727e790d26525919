-- ?1 run_no, ?2 source_no, ?3 kind, ?4 name, ?5 pod, ?6 container, ?7 format, ?8 first_t, ?9 last_t, ?10 samples, ?11 gaps,
-- ?12 longest_gap_ns, ?13 cut, ?14 sampled, ?15 limited, ?16 damaged, ?17 resent, ?18 zone, ?19 zone_offset_ns, ?20 note, ?21 file_no
INSERT INTO main.source (
	run_no, source_no, kind, name, pod, container, format, first_t, last_t, samples, gaps,
	longest_gap_ns, cut, sampled, limited, damaged, resent, zone, zone_offset_ns, note, file_no
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
	?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21
)
