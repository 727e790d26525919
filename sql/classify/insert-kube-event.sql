-- ?1 run_no, ?2 event_no, ?3 source_no, ?4 t, ?5 type, ?6 reason, ?7 kind, ?8 namespace, ?9 name, ?10 n, ?11 message, ?12 file_no
INSERT INTO main.kube_event (
	run_no, event_no, source_no, t, type, reason, kind, namespace, name, n, message, file_no
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
)
