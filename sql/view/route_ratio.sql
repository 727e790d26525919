-- route_ratio: counters of routes and fan-out, over all processes, against the group messages that the server accepted.
--
--   name       of the counter
--   labels     as the processes have them, without `pod` and `instance`
--   to_t       the last sample, Unix ns
--   increase   over the load and its drain, all processes together
--   accepted   group messages: what the server says that it saved, else what was acked, seen or stored
--   members    of the largest group, those who were offline included
--   file       path below the results directory, of one sample after the load
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS route_ratio AS
WITH accepted AS (
	SELECT coalesce(
		(SELECT CAST(sum(increase) AS INTEGER) FROM temp.metric_increase
			WHERE name LIKE '%publish_stage_duration_seconds_count' AND labels LIKE '%kind="group"%' AND labels LIKE '%stage="save"%'
			AND labels LIKE '%result="ok"%'),
		(SELECT CAST(sum(increase) AS INTEGER) FROM temp.metric_increase
			WHERE name LIKE '%kafka_message_persist_total' AND labels LIKE '%kind="group"%' AND labels LIKE '%\_ok"%' ESCAPE '\'),
		(SELECT count(*) FROM temp.message WHERE kind = 'group' AND (outcome = 'acked' OR copies > 0 OR persisted IN ('exact', 'duplicate')))) AS n
), size AS (
	SELECT max(t.members + coalesce(t.offline_members, 0)) AS n FROM main.topic AS t
	WHERE t.run_no = (SELECT run_no FROM temp.current_run) AND t.kind = 'group'
), counter AS (
	SELECT x.name, x.labels, x.to_t, x.increase, x.file, x.line, instr(x.labels, 'pod="') AS place
	FROM temp.metric_increase AS x WHERE x.name LIKE '%route_total' OR x.name LIKE '%fanout_events_total'
), podless AS (
	SELECT name, to_t, increase, file, line,
		CASE place WHEN 0 THEN labels ELSE substr(labels, 1, place - 1) ||
			ltrim(substr(labels, place + 5 + instr(substr(labels, place + 5), '"')), ',') END AS labels
	FROM counter
), placed AS (
	SELECT *, instr(labels, 'instance="') AS place FROM podless
), bare AS (
	SELECT name, to_t, increase, file, line,
		CASE place WHEN 0 THEN labels ELSE substr(labels, 1, place - 1) ||
			ltrim(substr(labels, place + 10 + instr(substr(labels, place + 10), '"')), ',') END AS labels
	FROM placed
)
SELECT x.name, replace(x.labels, ',}', '}') AS labels, max(x.to_t) AS to_t, sum(x.increase) AS increase, accepted.n AS accepted,
	size.n AS members, min(x.file) AS file, min(x.line) AS line
FROM bare AS x, accepted, size
WHERE accepted.n > 0 AND size.n > 0
GROUP BY x.name, replace(x.labels, ',}', '}'), accepted.n, size.n;
