-- metric_series: series of metrics, as one scrape target shows them or as Prometheus answered.
--
--   series_no   counted from 0
--   source      scrape target
--   pod         of the target; NULL: not known
--   name        sample name: http_requests_total, latency_bucket, ...
--   labels      {a="b",c="d"} in byte order of the names; '' for none
--   type        counter, gauge, histogram, summary, untyped, ...
CREATE TEMP VIEW IF NOT EXISTS metric_series AS
SELECT x.series_no, c.name AS source, c.pod, x.name, x.labels, x.type
FROM main.metric_series AS x
LEFT JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = x.source_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
