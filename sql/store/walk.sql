-- Messages of a run with their delivery blocks, one line for each block, at least one for each message; warm-up left out.
-- :run_no, :from and :to (message numbers, both included), :only (0 all, 1 those with missing receivers, 2 those with extra copies)
SELECT m.message_no, m.mid, m.topic_no, m.sender_no, coalesce(m.scenario_no, -1), m.outcome, m.first_pub, m.window_end, m.seq,
	(SELECT t.kind = 'p2p' FROM main.topic AS t WHERE t.run_no = m.run_no AND t.topic_no = m.topic_no),
	EXISTS (SELECT 1 FROM main.extra_copy AS e WHERE e.run_no = m.run_no AND e.message_no = m.message_no) AS extra,
	b.first_member, b.body
FROM main.message AS m LEFT JOIN main.delivery_block AS b ON b.run_no = m.run_no AND b.message_no = m.message_no
WHERE m.run_no = :run_no AND m.message_no BETWEEN :from AND :to AND m.excluded = 0
	AND CASE :only WHEN 0 THEN 1 WHEN 1 THEN m.outcome = 'acked' AND m.missing > 0 ELSE extra END
ORDER BY m.message_no, b.first_member;
