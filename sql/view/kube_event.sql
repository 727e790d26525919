-- kube_event: events of the cluster.
--
--   event_no    counted from 0
--   t           when it was seen last, Unix ns; NULL: not said
--   type        Normal, Warning
--   reason      BackOff, Killing, OOMKilling, ...
--   kind        of the object
--   namespace   of the object
--   name        of the object
--   n           times
--   message     without secrets
--   file        path below the results directory
CREATE TEMP VIEW IF NOT EXISTS kube_event AS
SELECT x.event_no, x.t, x.type, x.reason, x.kind, x.namespace, x.name, x.n, x.message, f.path AS file
FROM main.kube_event AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
