-- lag_at_check: how far each consumer was behind when the database was looked at last: the sample nearest to it, within a minute.
--
--   grp         consumer group
--   topic       of Kafka
--   partition   of the topic
--   t           of the sample, Unix ns
--   lag         records; NULL: not known
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS lag_at_check AS
SELECT l.grp, l.topic, l.partition, l.t, l.lag, l.file, l.line FROM temp.check_lag AS l
WHERE l."check" = (SELECT q."check" FROM main.db_query AS q
	WHERE q.run_no = (SELECT run_no FROM temp.current_run) AND q.of = 'rows' ORDER BY q.t DESC, q."check" DESC LIMIT 1);
