-- unread_history: how far the read-back through the product's own history went, one line.
--
--   acked         messages
--   unread        of these: neither returned, nor inside a range that a complete query covered
--   queries       that were made
--   ended_early   of these: not complete
CREATE TEMP VIEW IF NOT EXISTS unread_history AS
WITH whole AS (
	SELECT q.topic_no, q.lo, q.hi FROM main.history_query AS q
	WHERE q.run_no = (SELECT run_no FROM temp.current_run) AND q.status = 'complete'
)
SELECT count(*) AS acked,
	coalesce(sum(m.in_history = 0 AND NOT EXISTS (
		SELECT 1 FROM whole AS w WHERE w.topic_no = m.topic_no AND m.seq BETWEEN w.lo AND w.hi)), 0) AS unread,
	(SELECT count(*) FROM main.history_query AS q WHERE q.run_no = (SELECT run_no FROM temp.current_run)) AS queries,
	(SELECT count(*) FROM main.history_query AS q
		WHERE q.run_no = (SELECT run_no FROM temp.current_run) AND q.status <> 'complete') AS ended_early
FROM main.message AS m
WHERE m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0 AND m.outcome = 'acked';
