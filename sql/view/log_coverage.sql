-- log_coverage: whether the logs can show that something was not logged, one line.
--
--   pods       that should have a log: those that are expected, else those that have one
--   covering   of these: with a log that covers the load
--   complete   1: all of them, and there is at least one
--   open       the first three of the others, with commas between; NULL: none
CREATE TEMP VIEW IF NOT EXISTS log_coverage AS
WITH log AS (
	SELECT coalesce(s.pod, s.name) AS pod, max(s.covers_load) AS covers FROM temp.source AS s WHERE s.kind = 'log' GROUP BY coalesce(s.pod, s.name)
), wanted AS (
	SELECT e.pod FROM temp.expected_pod AS e
	UNION SELECT l.pod FROM log AS l WHERE NOT EXISTS (SELECT 1 FROM temp.expected_pod)
), state AS (
	SELECT w.pod, coalesce((SELECT l.covers FROM log AS l WHERE l.pod = w.pod), 0) AS covers FROM wanted AS w
)
SELECT count(*) AS pods, coalesce(sum(covers), 0) AS covering, count(*) > 0 AND sum(covers) = count(*) AS complete,
	(SELECT group_concat(o.pod, ', ') FROM (SELECT pod FROM state WHERE NOT covers ORDER BY pod LIMIT 3) AS o) AS open
FROM state;
