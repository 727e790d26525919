-- history: what reading back found, one line for each mid, topic and seq; warm-up left out.
--
--   history_no   counted from 0
--   message_no   of its message
--   mid          of its message
--   topic        where it was found
--   seq          that it has there
--   times        how often it was returned
--   t            the first time, Unix ns
--   file         path below the results directory
--   line         from 1
CREATE TEMP VIEW IF NOT EXISTS history AS
SELECT x.history_no, x.message_no, m.mid AS mid, tp.name AS topic, x.seq, x.times, x.t, f.path AS file, x.line
FROM main.history AS x
JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
LEFT JOIN main.topic AS tp ON tp.run_no = x.run_no AND tp.topic_no = x.topic_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0;
