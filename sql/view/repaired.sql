-- repaired: messages that were absent, or in the dead letters alone, at an earlier look-up of the database, and have a row at a
-- later one; warm-up left out. A mismatch begins with the ack (of a message without one: with its first `pub`).
--
--   message_no     of the message
--   mid            of the message
--   topic          of the message
--   since_t        ack, else first `pub`, Unix ns
--   missed_check   the last check that shows it absent or in the dead letters
--   missed_t       when that look-up ended, Unix ns
--   missed_file    of the line that ended that look-up, below the results directory
--   missed_line    from 1
--   check          the first one that has its row
--   found_t        when that look-up ended, Unix ns; NULL: nobody says
--   from_t         the row came after this: missed_t. (Its `created` is by the clock of whoever wrote it, and proves nothing here)
--   to_t           and not after this: found_t
--   least_ns       from since_t to from_t: how long the mismatch lasted at least
--   most_ns        to to_t: at most; NULL: nobody says
--   how            what repaired it: replay (its latest dead letter is replayed) | backlog (no dead letter, and consumers were
--                  behind at missed_check); NULL: not known
--   letter         state of its latest dead letter: dead | replayed; NULL: it has none
--   letter_file    below the results directory
--   letter_line    from 1
--   changed        column of the row's table whose type changed between ack and found_t: messages.id: int to bigint; NULL: none is
--                  known
--   changed_file   below the results directory
--   changed_line   from 1
--   file           of its row, below the results directory
--   line           from 1
CREATE TEMP VIEW IF NOT EXISTS repaired AS
WITH found AS (
	SELECT r.message_no, min(r."check") AS "check", r.tab, r.file_no, r.line
	FROM main.db_row AS r WHERE r.run_no = (SELECT run_no FROM temp.current_run) AND r.message_no IS NOT NULL
	GROUP BY r.message_no HAVING min(r."check") > 1
), letter AS (
	SELECT d.message_no, max(d.dead_no) AS dead_no, d.state, d.file_no, d.line
	FROM main.dead_letter AS d WHERE d.run_no = (SELECT run_no FROM temp.current_run) AND d.message_no IS NOT NULL GROUP BY d.message_no
), missed AS (
	SELECT f.message_no, c."check", c.t, c.file, c.line
	FROM found AS f
	JOIN main.message AS m ON m.run_no = (SELECT run_no FROM temp.current_run) AND m.message_no = f.message_no
	JOIN main.topic AS topic ON topic.run_no = m.run_no AND topic.topic_no = m.topic_no
	LEFT JOIN main.scenario AS s ON s.run_no = m.run_no AND s.scenario_no = m.scenario_no
	JOIN temp.db_check AS c ON c.kind IS topic.kind AND c.complete AND c."check" < f."check" AND c.t >= coalesce(s.last_pub, m.window_end, 0)
	UNION ALL
	SELECT f.message_no, q."check", q.t, q.file, q.line
	FROM found AS f
	JOIN main.dead_letter AS d ON d.run_no = (SELECT run_no FROM temp.current_run) AND d.message_no = f.message_no AND d.state = 'dead'
	JOIN temp.db_query AS q ON q.of = 'deads' AND q.holds AND q."check" = d."check" AND q."check" < f."check"
), last_miss AS (
	SELECT message_no, max("check") AS "check", t, file, line FROM missed GROUP BY message_no
), looked AS (
	SELECT "check", tab, max(t) AS t FROM temp.db_query WHERE of = 'rows' GROUP BY "check", tab
), span AS (
	SELECT f.message_no, m.mid, topic.name AS topic, coalesce(m.ack_t, m.first_pub) AS since_t, x."check" AS missed_check, x.t AS missed_t,
		x.file AS missed_file, x.line AS missed_line, f."check", l.t AS found_t, f.tab, f.file_no, f.line,
		x.t AS from_t, l.t AS to_t
	FROM found AS f
	JOIN last_miss AS x ON x.message_no = f.message_no
	JOIN main.message AS m ON m.run_no = (SELECT run_no FROM temp.current_run) AND m.message_no = f.message_no AND m.excluded = 0
	JOIN main.topic AS topic ON topic.run_no = m.run_no AND topic.topic_no = m.topic_no
	LEFT JOIN looked AS l ON l."check" = f."check" AND l.tab = f.tab
), change AS (
	SELECT s.message_no, c.*, row_number() OVER (PARTITION BY s.message_no ORDER BY c.name <> 'id', c.t DESC, c.name) AS place
	FROM span AS s
	JOIN temp.schema_change AS c ON c.tab = s.tab AND c.t > s.since_t AND c.before_t < coalesce(s.found_t, c.before_t + 1)
), behind AS (
	SELECT "check" FROM temp.check_lag GROUP BY "check" HAVING sum(lag) > 0
)
SELECT s.message_no, s.mid, s.topic, s.since_t, s.missed_check, s.missed_t, s.missed_file, s.missed_line, s."check", s.found_t,
	s.from_t, s.to_t, max(s.from_t - s.since_t, 0) AS least_ns, max(s.to_t - s.since_t, 0) AS most_ns,
	CASE WHEN d.state = 'replayed' THEN 'replay' WHEN d.state IS NULL AND s.missed_check IN behind THEN 'backlog' END AS how,
	d.state AS letter, df.path AS letter_file, d.line AS letter_line,
	c.tab || '.' || c.name || ': ' || c.before || ' to ' || c.type AS changed, c.file AS changed_file, c.line AS changed_line,
	f.path AS file, s.line
FROM span AS s
LEFT JOIN letter AS d ON d.message_no = s.message_no
LEFT JOIN main.file AS df ON df.run_no = (SELECT run_no FROM temp.current_run) AND df.file_no = d.file_no
LEFT JOIN change AS c ON c.message_no = s.message_no AND c.place = 1
LEFT JOIN main.file AS f ON f.run_no = (SELECT run_no FROM temp.current_run) AND f.file_no = s.file_no;
