-- denied_pair: pairs of sender and topic with a message that was refused with 403.
--
--   sender    account
--   topic     name
--   sent      messages of the pair that were written
--   refused   of these with 403
--   after     messages of the pair written after the first refusal and not refused so
--   first_t   the first refused one was written, Unix ns
--   file      of that message, below the results directory
--   line      from 1
CREATE TEMP VIEW IF NOT EXISTS denied_pair AS
WITH pair AS (
	SELECT m.sender_no, m.topic_no, min(m.first_pub) AS first_t, count(*) AS refused, min(m.message_no) AS message_no
	FROM main.message AS m
	WHERE m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0 AND m.code = 403 AND m.outcome = 'rejected'
	GROUP BY m.sender_no, m.topic_no
)
SELECT s.name AS sender, t.name AS topic, count(*) AS sent, p.refused,
	sum(m.first_pub > p.first_t AND NOT (m.outcome = 'rejected' AND m.code = 403)) AS after, p.first_t, f.path AS file, a.line
FROM pair AS p
JOIN main.message AS m ON m.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded = 0 AND m.first_pub IS NOT NULL
	AND m.sender_no = p.sender_no AND m.topic_no = p.topic_no
LEFT JOIN main.account AS s ON s.run_no = m.run_no AND s.account_no = p.sender_no
LEFT JOIN main.topic AS t ON t.run_no = m.run_no AND t.topic_no = p.topic_no
LEFT JOIN main.attempt AS a ON a.run_no = m.run_no AND a.message_no = p.message_no AND a.attempt_no = 0
LEFT JOIN main.file AS f ON f.run_no = m.run_no AND f.file_no = a.file_no
GROUP BY p.sender_no, p.topic_no;
