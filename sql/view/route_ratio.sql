-- route_ratio: counters of routes and fan-out, over all processes, against the group messages that the server accepted.
--
--   name       of the counter
--   labels     as the processes have them
--   to_t       the last sample, Unix ns
--   increase   over the load, all processes together
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
		(SELECT count(*) FROM temp.message WHERE kind = 'group' AND (outcome = 'acked' OR copies > 0 OR persisted IN ('exact', 'duplicate')))) AS n
), size AS (
	SELECT max(t.members + coalesce(t.offline_members, 0)) AS n FROM main.topic AS t
	WHERE t.run_no = (SELECT run_no FROM temp.current_run) AND t.kind = 'group'
)
SELECT x.name, x.labels, max(x.to_t) AS to_t, sum(x.increase) AS increase, accepted.n AS accepted, size.n AS members,
	min(x.file) AS file, min(x.line) AS line
FROM temp.metric_increase AS x, accepted, size
WHERE (x.name LIKE '%route_total' OR x.name LIKE '%fanout_events_total') AND accepted.n > 0 AND size.n > 0
GROUP BY x.name, x.labels, accepted.n, size.n;
