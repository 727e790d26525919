-- Who misses most, the first ten; a connected receiver that got nothing says more about the server than one that was away.
SELECT receiver, count(*) AS n, sum(disconnected = 0) AS connected, count(DISTINCT topic), min(sent_t), max(sent_t),
	count(*) OVER ()
FROM missing_pod
GROUP BY receiver
ORDER BY connected DESC, n DESC, receiver
LIMIT 10;
