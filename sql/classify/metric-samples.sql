-- The samples of a series in the order of time. ?1 run_no, ?2 series_no
SELECT t, value, file_no, line FROM main.metric_sample
WHERE run_no = ?1 AND series_no = ?2 AND t IS NOT NULL AND value IS NOT NULL ORDER BY sample_no
