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
WITH looked AS (
	SELECT max(q.t) AS t FROM main.db_query AS q WHERE q.run_no = (SELECT run_no FROM temp.current_run) AND q.of = 'rows'
), near AS (
	SELECT l.*, row_number() OVER (PARTITION BY l.grp, l.topic, l.partition ORDER BY abs(l.t - looked.t), l.t) AS place
	FROM temp.kafka_lag AS l, looked WHERE abs(l.t - looked.t) <= 60000000000
)
SELECT n.grp, n.topic, n.partition, n.t, n.lag, n.file, n.line FROM near AS n WHERE n.place = 1;
