-- ?1 run_no, ?2 sample_no, ?3 t, ?4 group, ?5 topic, ?6 partition, ?7 committed, ?8 end, ?9 start, ?10 lag, ?11 members, ?12 file_no,
-- ?13 line
INSERT INTO main.kafka_lag (
	run_no, sample_no, t, grp, topic, partition, committed, "end", start, lag, members, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
)
