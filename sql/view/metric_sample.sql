-- metric_sample: what series were at some moment.
--
--   series_no   of the series
--   sample_no   counted from 0 in its series, by time
--   t           Unix ns; NULL: undated
--   value       NULL: NaN, not measured
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS metric_sample AS
SELECT x.series_no, x.sample_no, x.t, x.value, f.path AS file, x.line
FROM main.metric_sample AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
