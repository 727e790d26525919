-- db_innodb: looks at SHOW ENGINE INNODB STATUS, in short.
--
--   look_no          counted from 0
--   t                Unix ns
--   server           as the line says
--   history_length   of undo records that are still to be purged; NULL: not said
--   deadlock_t       when the last deadlock was, Unix ns; NULL: there was none, or nobody knows when
--   deadlock         what the server says of it, without secrets
--   file             path below the results directory
--   line             from 1
CREATE TEMP VIEW IF NOT EXISTS db_innodb AS
SELECT x.look_no, x.t, x.server, x.history_length, x.deadlock_t, x.deadlock, f.path AS file, x.line
FROM main.db_innodb AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
