-- kube_container: containers of pods, as each `kubectl get` saw them.
--
--   container_no      counted from 0
--   t                 when kubectl was asked, Unix ns; NULL: not known
--   namespace         of the pod
--   pod               name
--   uid               of the pod
--   node              that it runs on
--   container         name
--   phase             Running, Pending, ...
--   ready             1 or 0; NULL: not said
--   restarts          so far
--   image             as asked for
--   image_id          that runs
--   cpu_request       cores; NULL: not set
--   cpu_limit         cores; NULL: not set
--   memory_request    bytes; NULL: not set
--   memory_limit      bytes; NULL: not set
--   probes            liveness=/healthz readiness=/ready, as far as there are any
--   started_t         of the running container, Unix ns
--   last_reason       of the last termination: OOMKilled, Error, ...; or why the pod ended
--   last_exit         exit status of the last termination
--   last_finished_t   of the last termination, Unix ns
--   file              path below the results directory
CREATE TEMP VIEW IF NOT EXISTS kube_container AS
SELECT x.container_no, x.t, x.namespace, x.pod, x.uid, x.node, x.container, x.phase, x.ready, x.restarts, x.image, x.image_id,
	x.cpu_request, x.cpu_limit, x.memory_request, x.memory_limit, x.probes, x.started_t, x.last_reason, x.last_exit,
	x.last_finished_t, f.path AS file
FROM main.kube_container AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
