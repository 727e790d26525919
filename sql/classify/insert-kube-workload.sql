-- ?1 run_no, ?2 workload_no, ?3 source_no, ?4 t, ?5 kind, ?6 namespace, ?7 name, ?8 container, ?9 replicas, ?10 ready_replicas, ?11 image,
-- ?12 cpu_request, ?13 cpu_limit, ?14 memory_request, ?15 memory_limit, ?16 probes, ?17 file_no
INSERT INTO main.kube_workload (
	run_no, workload_no, source_no, t, kind, namespace, name, container, replicas, ready_replicas, image,
	cpu_request, cpu_limit, memory_request, memory_limit, probes, file_no
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
	?12, ?13, ?14, ?15, ?16, ?17
)
