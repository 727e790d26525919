-- deaf_receiver: members of a group that were connected throughout and got none of its messages, while other members got them.
--
--   topic          of the group
--   receiver       account
--   receiver_pod   that it was READY on; NULL: not known
--   missing        acked messages of the topic, none of which came
CREATE TEMP VIEW IF NOT EXISTS deaf_receiver AS
WITH whole AS (
	SELECT m.topic, count(*) AS n, sum(m."unique") AS came
	FROM temp.message AS m WHERE m.outcome = 'acked' AND m.kind = 'group' AND m.expected > 0 GROUP BY m.topic
), pair AS (
	SELECT d.topic, d.receiver, count(*) AS n, sum(d.disconnected) AS disconnected, max(d.receiver_pod) AS receiver_pod
	FROM temp.missing_pod AS d GROUP BY d.topic, d.receiver
)
SELECT p.topic, p.receiver, p.receiver_pod, p.n AS missing
FROM pair AS p
JOIN whole AS w ON w.topic = p.topic
WHERE p.n = w.n AND p.disconnected = 0 AND w.n >= 3 AND w.came > 0;
