-- ?1 run_no, ?2 series_no, ?3 from_t, ?4 to_t, ?5 increase, ?6 resets, ?7 closing, ?8 first_value, ?9 last_value, ?10 covers, ?11 file_no,
-- ?12 line
INSERT INTO main.metric_increase (
	run_no, series_no, from_t, to_t, increase, resets, closing, first_value, last_value, covers, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
)
