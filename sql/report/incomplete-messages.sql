-- Acked messages that some expected receiver never got. :run
SELECT m.message_no, m.mid, topic.name, sender.name, m.class, m.seq, m.first_pub, m.ack_t, m.window_end,
	file.path, a.line
FROM main.message AS m
JOIN main.topic AS topic ON topic.run_no = m.run_no AND topic.topic_no = m.topic_no
JOIN main.account AS sender ON sender.run_no = m.run_no AND sender.account_no = m.sender_no
LEFT JOIN main.attempt AS a ON a.run_no = m.run_no AND a.message_no = m.message_no AND a.attempt_no = 0
LEFT JOIN main.file AS file ON file.run_no = a.run_no AND file.file_no = a.file_no
WHERE m.run_no = :run AND m.excluded = 0 AND m.outcome = 'acked' AND m.missing > 0
ORDER BY m.message_no;
