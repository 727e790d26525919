-- log_hit: what matched a signature in a log, one line for each second and subject.
--
--   hit_no      counted from 0, by source, then by place
--   signature   id of the rule
--   source      name
--   pod         of the server
--   container   NULL: not known
--   second      Unix s; NULL: the time is not known
--   subject     what it is about, as the signature caught it; NULL: nothing, or too many to tell apart
--   n           events
--   first_t     of the first, Unix ns; NULL: the time is not known
--   last_t      of the last, Unix ns
--   text        of the first, cut and without secrets
--   file        of the first, below the results directory
--   line        of the first, from 1
CREATE TEMP VIEW IF NOT EXISTS log_hit AS
SELECT x.hit_no, x.signature, s.name AS source, s.pod, s.container, x.second, x.subject, x.n, x.first_t, x.last_t, x.text,
	f.path AS file, x.line
FROM main.log_hit AS x
JOIN main.source AS s ON s.run_no = x.run_no AND s.source_no = x.source_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
