-- Messages whose row is to be looked for (again): those that nobody looked for, and of those that were looked for and not found the ones
-- that were acked or got no answer; with `all` those that were refused or never sent too. Warm-up left out. :run :all
SELECT m.mid, topic.name, m.persisted
FROM main.message AS m
JOIN main.topic AS topic ON topic.run_no = m.run_no AND topic.topic_no = m.topic_no
WHERE m.run_no = :run AND m.excluded = 0 AND (m.persisted = 'unchecked'
	OR (m.persisted IN ('absent', 'dead_letter', 'conflict') AND (:all OR m.outcome IN ('acked', 'unknown'))))
ORDER BY m.message_no;
