-- container_series: series that the kubelet keeps of containers, and whose they are.
--
--   series_no   as in metric_series
--   source      scrape target
--   name        container_cpu_usage_seconds_total, ...
--   labels      as in metric_series
--   pod         by its label, else of the target; NULL: not known
--   container   NULL: the whole pod
CREATE TEMP VIEW IF NOT EXISTS container_series AS
WITH labelled AS (
	SELECT series_no, source, pod AS target, name, labels, CASE labels WHEN '' THEN '{}'
		ELSE '{"' || replace(replace(substr(labels, 2, length(labels) - 2), '="', '":"'), '",', '","') || '}' END AS object
	FROM temp.metric_series
	WHERE name LIKE 'container%'
), named AS (
	SELECT series_no, source, name, labels, coalesce(object ->> 'pod', object ->> 'pod_name', target) AS pod,
		nullif(coalesce(object ->> 'container', object ->> 'container_name'), '') AS container
	FROM labelled
	WHERE json_valid(object)
)
SELECT series_no, source, name, labels, pod, container
FROM named
WHERE container IS NOT 'POD';
