-- log_second: how much a log said in each second in which it said something.
--
--   source    name
--   pod       of the server
--   second    Unix s
--   lines     events: lines, or several that are one
--   first_t   of the first, Unix ns
--   last_t    of the last, Unix ns
CREATE TEMP VIEW IF NOT EXISTS log_second AS
SELECT s.name AS source, s.pod, x.second, x.lines, x.first_t, x.last_t
FROM main.log_second AS x
JOIN main.source AS s ON s.run_no = x.run_no AND s.source_no = x.source_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
