-- One message with its names. :run :mid
SELECT m.message_no, m.mid, topic.name, sender.name, agent.name, scenario.id, m.outcome, m.observed, m.persisted, m.class, m.code, m.seq,
	m.expected, m."unique", m.late, m.unwitnessed, m.missing, m.duplicate, m.anomalies, m.last_layer, m.place, m.excluded,
	m.first_pub, m.window_end, m.witness_conflict
FROM main.message AS m
JOIN main.topic AS topic ON topic.run_no = m.run_no AND topic.topic_no = m.topic_no
JOIN main.account AS sender ON sender.run_no = m.run_no AND sender.account_no = m.sender_no
LEFT JOIN main.agent AS agent ON agent.run_no = m.run_no AND agent.agent_no = m.agent_no
LEFT JOIN main.scenario AS scenario ON scenario.run_no = m.run_no AND scenario.scenario_no = m.scenario_no
WHERE m.run_no = :run AND m.mid = :mid
ORDER BY m.message_no
LIMIT 1;
