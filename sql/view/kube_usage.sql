-- kube_usage: what pods used, by kubectl top and PodMetrics.
--
--   usage_no    counted from 0
--   t           Unix ns; NULL: not known
--   pod         name
--   container   NULL: the whole pod
--   cpu         cores; NULL: not measured
--   memory      bytes; NULL: not measured
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS kube_usage AS
SELECT x.usage_no, x.t, x.pod, x.container, x.cpu, x.memory, f.path AS file, x.line
FROM main.kube_usage AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
