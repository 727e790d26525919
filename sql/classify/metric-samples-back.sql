-- ... and back, in their new order. ?1 run_no, ?2 series_no
UPDATE main.metric_sample SET sample_no = -1 - sample_no
WHERE run_no = ?1 AND series_no = ?2 AND sample_no < 0
