-- abnormal_close: connections that ended without a close frame between load_start and the end of the last drain window.
--
--   account   id
--   to_t      when, Unix ns
--   pod       of the server
--   why       as the line says
--   peer      as the line says
--   clustered 1: two more ended so within a second of it
--   by_pod    1: its pod lost all its clients in that second (pod_outage)
--   file      path below the results directory
--   line      from 1
CREATE TEMP VIEW IF NOT EXISTS abnormal_close AS
SELECT p.account, p.to_t, p.pod, p.why, p.peer,
	count(*) OVER (ORDER BY p.to_t RANGE BETWEEN 1000000000 PRECEDING AND 1000000000 FOLLOWING) >= 3 AS clustered,
	EXISTS (SELECT 1 FROM temp.pod_outage AS o WHERE o.pod = p.pod AND p.to_t BETWEEN o.gone_t AND o.gone_t + 1000000000) AS by_pod,
	p.file, p.line
FROM temp.presence AS p
WHERE p.ended = 'closed' AND p.to_t >= (SELECT t FROM temp.mark WHERE name = 'load_start')
	AND p.to_t < coalesce((SELECT t FROM temp.mark WHERE name = 'drain_end'), (SELECT max(window_end) FROM temp.scenario))
	AND (p.code = 1006 OR p.why LIKE '%reset%' OR p.why LIKE '%abnormal%' OR p.why LIKE '%no close frame%' OR p.why LIKE '%broken pipe%'
		OR p.why LIKE '%unexpected eof%' OR (p.code IS NULL AND p.why = 'eof'));
