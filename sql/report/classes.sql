-- The first and the last time at which a message of each class was tried. :run
SELECT m.class, min(t), max(t)
FROM (
	SELECT class, coalesce(first_pub, (
		SELECT a.t
		FROM main.attempt AS a
		WHERE a.run_no = main.message.run_no AND a.message_no = main.message.message_no AND a.attempt_no = 0)) AS t
	FROM main.message
	WHERE run_no = :run AND excluded = 0
) AS m
GROUP BY m.class
ORDER BY m.class;
