-- The samples of a series in the order of time, the undated ones first; what was not measured (NaN) is left out. :run :series
SELECT x.t, x.value, f.path, f.sha256, x.line
FROM main.metric_sample AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = :run AND x.series_no = :series AND x.value IS NOT NULL
ORDER BY x.t, x.sample_no
