-- Everything but deliveries that the evidence has of one message, and the look-ups that would have found it, in the order of time.
-- :run :message
--
-- t (NULL: the source gives none), what, who, topic, code, seq, why, text, n (number of the try, times read back, or check), file_no, line
SELECT a.t AS t, a.kind AS what, sender.name AS who, topic.name AS topic, NULL AS code, NULL AS seq, a.why AS why, a.request_id AS text,
	a.try AS n, a.file_no AS file_no, a.line AS line
FROM main.attempt AS a
JOIN main.topic AS topic ON topic.run_no = a.run_no AND topic.topic_no = a.topic_no
JOIN main.account AS sender ON sender.run_no = a.run_no AND sender.account_no = a.sender_no
WHERE a.run_no = :run AND a.message_no = :message
UNION ALL
SELECT n.t, n.kind, NULL, NULL, n.code, n.seq, n.why, n.text, NULL, n.file_no, n.line
FROM main.answer AS n
WHERE n.run_no = :run AND n.message_no = :message
UNION ALL
SELECT h.t, 'hist', NULL, topic.name, NULL, h.seq, NULL, NULL, h.times, h.file_no, h.line
FROM main.history AS h
JOIN main.topic AS topic ON topic.run_no = h.run_no AND topic.topic_no = h.topic_no
WHERE h.run_no = :run AND h.message_no = :message
UNION ALL
SELECT r.created_t, 'row', r.tab, r.topic, NULL, r.seq, NULL, r.id, r."check", r.file_no, r.line
FROM main.db_row AS r
WHERE r.run_no = :run AND r.message_no = :message
UNION ALL
SELECT d.t, 'dead', d.kafka_topic, d.topic, d.code, NULL, d.state, d.error, d."check", d.file_no, d.line
FROM main.dead_letter AS d
WHERE d.run_no = :run AND d.message_no = :message
UNION ALL
SELECT q.t, 'look-up', q.tab, NULL, NULL, NULL, CASE q.holds WHEN 1 THEN 'complete' ELSE 'not complete' END, q.of, q."check", q.file_no,
	q.line
FROM main.db_query AS q
WHERE q.run_no = :run
UNION ALL
SELECT q.t, 'read-back', reader.name, topic.name, NULL, NULL, q.status, 'seq ' || q.lo || ' to ' || q.hi, q.found, q.file_no, q.line
FROM main.message AS m
JOIN main.history_query AS q ON q.run_no = m.run_no AND q.topic_no = m.topic_no AND m.seq BETWEEN q.lo AND q.hi
JOIN main.topic AS topic ON topic.run_no = q.run_no AND topic.topic_no = q.topic_no
JOIN main.account AS reader ON reader.run_no = q.run_no AND reader.account_no = q.account_no
WHERE m.run_no = :run AND m.message_no = :message
ORDER BY t NULLS LAST, file_no, line;
