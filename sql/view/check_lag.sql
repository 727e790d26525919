-- check_lag: how far each consumer was behind at each look-up of the database: the sample nearest to it, within a minute.
--
--   check       from 1
--   grp         consumer group
--   topic       of Kafka
--   partition   of the topic
--   t           of the sample, Unix ns
--   lag         records; NULL: not known
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS check_lag AS
WITH looked AS (
	SELECT q."check", max(q.t) AS t FROM main.db_query AS q
	WHERE q.run_no = (SELECT run_no FROM temp.current_run) AND q.of = 'rows' GROUP BY q."check"
), near AS (
	SELECT looked."check", l.*,
		row_number() OVER (PARTITION BY looked."check", l.grp, l.topic, l.partition ORDER BY abs(l.t - looked.t), l.t) AS place
	FROM temp.kafka_lag AS l, looked WHERE abs(l.t - looked.t) <= 60000000000
)
SELECT n."check", n.grp, n.topic, n.partition, n.t, n.lag, n.file, n.line FROM near AS n WHERE n.place = 1;
