-- history_query: what was read back.
--
--   query_no   counted from 0
--   t          Unix ns
--   topic      that was asked for
--   account    who asked
--   lo         first seq
--   hi         last seq
--   status     as the line says
--   found      messages, as the line says
--   file       path below the results directory
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS history_query AS
SELECT x.query_no, x.t, tp.name AS topic, ac.name AS account, x.lo, x.hi, x.status, x.found, f.path AS file, x.line
FROM main.history_query AS x
LEFT JOIN main.topic AS tp ON tp.run_no = x.run_no AND tp.topic_no = x.topic_no
LEFT JOIN main.account AS ac ON ac.run_no = x.run_no AND ac.account_no = x.account_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
