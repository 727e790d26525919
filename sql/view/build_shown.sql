-- build_shown: series by which a process names its build, against the build under test.
--
--   source   scrape target
--   name     ..._build_info
--   labels   of the series
--   right    1: a label holds the build of run.json
CREATE TEMP VIEW IF NOT EXISTS build_shown AS
SELECT c.name AS source, s.name, s.labels, instr(s.labels, r.build_expected) > 0 AS right
FROM main.metric_series AS s
JOIN main.run AS r ON r.run_no = s.run_no
JOIN main.source AS c ON c.run_no = s.run_no AND c.source_no = s.source_no
WHERE s.run_no = (SELECT run_no FROM temp.current_run) AND r.build_expected IS NOT NULL AND s.labels <> ''
	AND s.name LIKE '%build_info' AND s.name NOT LIKE 'go\_%' ESCAPE '\' AND s.name NOT LIKE 'prometheus\_%' ESCAPE '\';
