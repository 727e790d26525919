-- metric_increase: how much each series grew over the load and its drain, as the sum of its steps upward.
--
--   name          of the sample
--   labels        {a="b",c="d"}, or ''
--   source        scrape target
--   pod           of the target; NULL: not known
--   from_t        the last sample at or before load_start, else the first one, Unix ns
--   to_t          the first sample at or after drain_end (or the last drain window), else the last one, Unix ns
--   increase      a lower bound where `resets` is not 0
--   resets        steps downward
--   closing       growth from close_start to the last sample
--   first_value   at from_t
--   last_value    at to_t
--   covers        1: samples lie on both sides of the load
--   file          path below the results directory, of the sample at to_t
--   line          from 1
CREATE TEMP VIEW IF NOT EXISTS metric_increase AS
SELECT s.name, s.labels, c.name AS source, c.pod, x.from_t, x.to_t, x.increase, x.resets, x.closing, x.first_value, x.last_value, x.covers,
	f.path AS file, x.line
FROM main.metric_increase AS x
JOIN main.metric_series AS s ON s.run_no = x.run_no AND s.series_no = x.series_no
JOIN main.source AS c ON c.run_no = x.run_no AND c.source_no = s.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
