-- stuck_key: keys of (topic, seq) that inserts met again and again.
--
--   subject   as the error names it: topic-seq
--   topic     its topic
--   seq       its seq
--   n         lines of the logs
--   first_t   of the first one, Unix ns; NULL: not known
--   last_t    of the last one
CREATE TEMP VIEW IF NOT EXISTS stuck_key AS
SELECT h.subject, t.name AS topic, CAST(substr(h.subject, length(t.name) + 2) AS INTEGER) AS seq, sum(h.n) AS n,
	min(h.first_t) AS first_t, max(h.last_t) AS last_t
FROM temp.log_hit AS h
JOIN main.topic AS t ON t.run_no = (SELECT run_no FROM temp.current_run)
	AND substr(h.subject, 1, length(t.name) + 1) = t.name || '-'
WHERE h.signature = 'log.db.duplicate_key'
GROUP BY h.subject, t.name
HAVING sum(h.n) >= 3;
