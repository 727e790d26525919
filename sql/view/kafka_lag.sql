-- kafka_lag: how far consumer groups were behind.
--
--   sample_no   counted from 0
--   t           Unix ns
--   grp         consumer group
--   topic       of Kafka
--   partition   number
--   committed   offset; NULL: no commit yet
--   end         of the log
--   start       of the log; NULL: not asked for
--   lag         records behind, from `start` on where the commit lies before it; NULL: not known
--   members     of the group; NULL: not asked for
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS kafka_lag AS
SELECT x.sample_no, x.t, x.grp, x.topic, x.partition, x.committed, x."end", x.start, x.lag, x.members, f.path AS file, x.line
FROM main.kafka_lag AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
