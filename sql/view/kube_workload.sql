-- kube_workload: containers as StatefulSets, Deployments and their like declare them.
--
--   workload_no      counted from 0
--   t                when kubectl was asked, Unix ns; NULL: not known
--   kind             StatefulSet, Deployment, DaemonSet, ReplicaSet
--   namespace        of the workload
--   name             of the workload
--   container        name
--   replicas         asked for
--   ready_replicas   that are
--   image            as asked for
--   cpu_request      cores; NULL: not set
--   cpu_limit        cores; NULL: not set
--   memory_request   bytes; NULL: not set
--   memory_limit     bytes; NULL: not set
--   probes           liveness=/healthz readiness=/ready, as far as there are any
--   file             path below the results directory
CREATE TEMP VIEW IF NOT EXISTS kube_workload AS
SELECT x.workload_no, x.t, x.kind, x.namespace, x.name, x.container, x.replicas, x.ready_replicas, x.image, x.cpu_request, x.cpu_limit,
	x.memory_request, x.memory_limit, x.probes, f.path AS file
FROM main.kube_workload AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
