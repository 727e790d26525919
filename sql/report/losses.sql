-- Messages whose stored state contradicts what the sender was told, the first :limit of them. :run :limit
SELECT m.mid, topic.name, sender.name, m.class, m.persisted, m.last_layer, m.place, m.seq, m.first_pub, m.ack_t,
	file.path, a.line
FROM main.message AS m
JOIN main.topic AS topic ON topic.run_no = m.run_no AND topic.topic_no = m.topic_no
JOIN main.account AS sender ON sender.run_no = m.run_no AND sender.account_no = m.sender_no
LEFT JOIN main.attempt AS a ON a.run_no = m.run_no AND a.message_no = m.message_no AND a.attempt_no = 0
LEFT JOIN main.file AS file ON file.run_no = a.run_no AND file.file_no = a.file_no
WHERE m.run_no = :run AND m.excluded = 0
	AND m.class IN ('durable_lost', 'dead_lettered', 'unverified', 'integrity', 'contradiction')
ORDER BY m.message_no
LIMIT :limit;
