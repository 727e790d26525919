-- ?1 run_no, ?2 usage_no, ?3 source_no, ?4 t, ?5 pod, ?6 container, ?7 cpu, ?8 memory, ?9 file_no, ?10 line
INSERT INTO main.kube_usage (
	run_no, usage_no, source_no, t, pod, container, cpu, memory, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
)
