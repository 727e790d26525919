-- What was found in logs: of each signature and log how often, from when to when, and the first one. Of the selected run.
WITH placed AS (
	SELECT *, row_number() OVER (PARTITION BY signature, source ORDER BY first_t IS NULL, first_t, hit_no) AS place FROM log_hit
)
SELECT h.signature, h.source, sum(h.n),
	(SELECT min(s.covers_load) FROM source AS s WHERE s.name = h.source AND s.kind = 'log') AS covers_load, min(h.first_t), max(h.last_t),
	max(CASE h.place WHEN 1 THEN h.file END), max(CASE h.place WHEN 1 THEN h.line END)
FROM placed AS h
GROUP BY h.signature, h.source
ORDER BY h.signature, h.source;
