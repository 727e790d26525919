-- missing_metric: metrics that the build under test must expose (run.json) and that no process showed.
--
--   name   as run.json has it: a name, or a name with labels in braces
CREATE TEMP VIEW IF NOT EXISTS missing_metric AS
WITH RECURSIVE wanted AS (
	SELECT w.name, CASE instr(w.name, '{') WHEN 0 THEN w.name ELSE substr(w.name, 1, instr(w.name, '{') - 1) END AS base,
		CASE instr(w.name, '{') WHEN 0 THEN '' ELSE rtrim(substr(w.name, instr(w.name, '{') + 1), '} ') || ',' END AS rest
	FROM temp.run_metric AS w
), label AS (
	SELECT name, '' AS item, rest FROM wanted
	UNION ALL
	SELECT name, trim(substr(rest, 1, instr(rest, ',') - 1)), substr(rest, instr(rest, ',') + 1) FROM label WHERE rest <> ''
)
SELECT w.name
FROM wanted AS w
WHERE NOT EXISTS (
	SELECT 1 FROM main.metric_series AS s
	WHERE s.run_no = (SELECT run_no FROM temp.current_run)
		AND s.name IN (w.base, w.base || '_total', w.base || '_bucket', w.base || '_count', w.base || '_sum')
		AND NOT EXISTS (SELECT 1 FROM label AS l WHERE l.name = w.name AND l.item <> '' AND instr(s.labels, l.item) = 0));
