-- ?1 run_no, ?2 spike_no, ?3 source_no, ?4 t, ?5 event, ?6 duration_ns, ?7 max_ns, ?8 file_no, ?9 line
INSERT INTO main.redis_latency (
	run_no, spike_no, source_no, t, event, duration_ns, max_ns, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
)
