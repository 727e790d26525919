-- ?1 run_no, ?2 container_no, ?3 source_no, ?4 t, ?5 namespace, ?6 pod, ?7 uid, ?8 node, ?9 container, ?10 phase, ?11 ready, ?12 restarts,
-- ?13 image, ?14 image_id, ?15 cpu_request, ?16 cpu_limit, ?17 memory_request, ?18 memory_limit, ?19 probes, ?20 started_t,
-- ?21 last_reason, ?22 last_exit, ?23 last_finished_t, ?24 file_no
INSERT INTO main.kube_container (
	run_no, container_no, source_no, t, namespace, pod, uid, node, container, phase, ready, restarts,
	image, image_id, cpu_request, cpu_limit, memory_request, memory_limit, probes, started_t,
	last_reason, last_exit, last_finished_t, file_no
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
	?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
	?21, ?22, ?23, ?24
)
