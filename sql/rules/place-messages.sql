-- What is needed of every message to say where failures concentrate, by number; warm-up left out. :run
SELECT m.message_no, coalesce(m.first_pub, f.from_t, 0), m.code, m.topic_no, m.sender_no, m.agent_no, m.scenario_no, m.expected,
	m.missing, coalesce(t.kind, s.kind) = 'p2p', m.outcome, m.persisted = 'absent', f.late_ack, m.first_pub IS NOT NULL
FROM main.message AS m
LEFT JOIN main.failing AS f ON f.run_no = m.run_no AND f.message_no = m.message_no
LEFT JOIN main.topic AS t ON t.run_no = m.run_no AND t.topic_no = m.topic_no
LEFT JOIN main.scenario AS s ON s.run_no = m.run_no AND s.scenario_no = m.scenario_no
WHERE m.run_no = :run AND m.excluded = 0
ORDER BY m.message_no
