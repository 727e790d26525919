-- topic_growth: topics whose messages waited long for their ack, while most topics with as many messages did not.
--
--   topic      its name
--   n          messages that were written and not refused, in the order of writing: at least 40
--   p95_ns     95th percentile of the wait, at least a second; a message without an ack waited until it was given up
--   first_ns   median wait in the first tenth of them
--   last_ns    the same in the last tenth
--   grows      1: last_ns is at least a second, and twice first_ns
--   online     members but those that were not READY at load_start
--   offline    these, and the members that are no accounts of the run
--   file       of the first message of the last tenth, below the results directory
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS topic_growth AS
WITH busy AS (
	-- worth a closer look: a twentieth of them waited a second
	SELECT m.topic_no, count(*) <= 20 * sum(coalesce(m.ack_ns, (SELECT f.to_t - f.from_t FROM main.failing AS f
		WHERE f.run_no = m.run_no AND f.message_no = m.message_no)) >= 1000000000) AS look
	FROM main.message AS m
	WHERE m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0 AND m.first_pub IS NOT NULL
		AND m.outcome IN ('acked', 'unknown')
	GROUP BY m.topic_no HAVING count(*) >= 40
), wait AS (
	SELECT m.message_no, m.topic_no, m.first_pub, coalesce(m.ack_ns, f.to_t - f.from_t) AS ns,
		ntile(10) OVER (PARTITION BY m.topic_no ORDER BY m.first_pub, m.message_no) AS tenth, count(*) OVER (PARTITION BY m.topic_no) AS n
	FROM main.message AS m
	LEFT JOIN main.failing AS f ON f.run_no = m.run_no AND f.message_no = m.message_no
	WHERE m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0 AND m.first_pub IS NOT NULL
		AND m.outcome IN ('acked', 'unknown') AND m.topic_no IN (SELECT topic_no FROM busy WHERE look)
), ranked AS (
	SELECT *, row_number() OVER (PARTITION BY topic_no, tenth ORDER BY ns, message_no) AS place,
		count(*) OVER (PARTITION BY topic_no, tenth) AS size, min(first_pub) OVER (PARTITION BY topic_no, tenth) AS begin,
		row_number() OVER (PARTITION BY topic_no ORDER BY ns, message_no) AS whole_place
	FROM wait
), middle AS (
	SELECT topic_no, n, max(CASE WHEN tenth = 1 AND place = (size + 1) / 2 THEN ns END) AS first_ns,
		max(CASE WHEN tenth = 10 AND place = (size + 1) / 2 THEN ns END) AS last_ns,
		max(CASE WHEN whole_place = (n * 95 + 99) / 100 THEN ns END) AS p95_ns, max(CASE WHEN tenth = 10 THEN begin END) AS begin
	FROM ranked GROUP BY topic_no, n
), slow AS (
	SELECT *, p95_ns >= 1000000000 AS slow, last_ns >= 1000000000 AND last_ns >= 2 * first_ns AS grows, (SELECT count(*) FROM busy) AS topics FROM middle
), named AS (
	SELECT *, sum(slow) OVER () AS nslow,
		(SELECT count(*) FROM main.member AS b
			JOIN main.account AS c ON c.run_no = b.run_no AND c.account_no = b.account_no AND c.ready = 0
			WHERE b.run_no = (SELECT run_no FROM temp.current_run) AND b.topic_no = slow.topic_no) AS away
	FROM slow
)
SELECT t.name AS topic, g.n, g.p95_ns, g.first_ns, g.last_ns, g.grows, t.members - g.away AS online, coalesce(t.offline_members, 0) + g.away AS offline,
	f.path AS file, a.line
FROM named AS g
JOIN main.topic AS t ON t.run_no = (SELECT run_no FROM temp.current_run) AND t.topic_no = g.topic_no
LEFT JOIN wait AS w ON w.topic_no = g.topic_no AND w.tenth = 10 AND w.first_pub = g.begin
LEFT JOIN main.attempt AS a ON a.run_no = t.run_no AND a.message_no = w.message_no AND a.attempt_no = 0
LEFT JOIN main.file AS f ON f.run_no = t.run_no AND f.file_no = a.file_no
WHERE g.slow AND (g.nslow = 1 OR g.nslow * 5 <= g.topics)
GROUP BY g.topic_no;
