-- answer: `ctrl` and `fail` lines, warm-up left out.
--
--   message_no   of its message
--   mid          of its message
--   answer_no    counted from 0 for each message, by time, then by line
--   kind         ctrl | fail
--   t            Unix ns
--   attempt_no   that it answers
--   code         of a ctrl
--   seq          of a ctrl
--   why          of a fail
--   bytes        of a fail: that were written
--   text         `text` of a ctrl, `detail` of a fail
--   file         path below the results directory
--   line         from 1
CREATE TEMP VIEW IF NOT EXISTS answer AS
SELECT x.message_no, m.mid AS mid, x.answer_no, x.kind, x.t, x.attempt_no, x.code, x.seq, x.why, x.bytes, x.text,
	f.path AS file, x.line
FROM main.answer AS x
JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0;
