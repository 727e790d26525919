-- How many messages the list of losses has in full. :run
SELECT count(*)
FROM main.message
WHERE run_no = :run AND excluded = 0
	AND class IN ('durable_lost', 'dead_lettered', 'unverified', 'integrity', 'contradiction');
