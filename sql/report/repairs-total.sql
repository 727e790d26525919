-- How many messages were missing at an earlier look-up and are stored now, what repaired them, and how long they were missing: the
-- shortest, the middle one and the longest, each from at least to at most. Of the selected run.
WITH middle AS (
	SELECT (count(*) - 1) / 2 AS place FROM repaired
)
SELECT count(*), sum(how IS 'replay'), sum(how IS 'backlog'), sum(how IS NULL), sum(changed IS NOT NULL),
	min(least_ns), min(most_ns),
	(SELECT least_ns FROM repaired ORDER BY least_ns LIMIT 1 OFFSET (SELECT place FROM middle)),
	(SELECT most_ns FROM repaired ORDER BY most_ns IS NULL, most_ns LIMIT 1 OFFSET (SELECT place FROM middle)),
	max(least_ns), CASE WHEN count(most_ns) = count(*) THEN max(most_ns) END
FROM repaired;
