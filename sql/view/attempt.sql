-- attempt: `pub` and `skip` lines, warm-up left out.
--
--   message_no   of its message
--   mid          of its message
--   attempt_no   counted from 0 for each message, by time, then by line
--   kind         pub | skip
--   t            Unix ns
--   plan_t       when it was due, Unix ns
--   topic        as the line says
--   sender       account
--   try          as the line says
--   request_id   `id` of the line
--   why          of a skip
--   size         as the line says
--   file         path below the results directory
--   line         from 1
CREATE TEMP VIEW IF NOT EXISTS attempt AS
SELECT x.message_no, m.mid AS mid, x.attempt_no, x.kind, x.t, x.plan_t, tp.name AS topic, sn.name AS sender, x.try,
	x.request_id, x.why, x.size, f.path AS file, x.line
FROM main.attempt AS x
JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
LEFT JOIN main.topic AS tp ON tp.run_no = x.run_no AND tp.topic_no = x.topic_no
LEFT JOIN main.account AS sn ON sn.run_no = x.run_no AND sn.account_no = x.sender_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0;
