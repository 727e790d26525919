-- schema_change: columns whose type changed between two looks at the schema.
--
--   tab        table
--   name       of the column
--   before     its type at the earlier look
--   type       at the later one
--   before_t   of the earlier look, Unix ns
--   t          of the later one
--   file       path below the results directory, of the later look
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS schema_change AS
WITH look AS (
	SELECT x.tab, x.name, x.type, x.t, x.file_no, x.line, lag(x.type) OVER w AS before, lag(x.t) OVER w AS before_t
	FROM main.schema_column AS x
	WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND x.t IS NOT NULL
	WINDOW w AS (PARTITION BY x.tab, x.name ORDER BY x.t, x.file_no, x.line)
)
SELECT l.tab, l.name, l.before, l.type, l.before_t, l.t, f.path AS file, l.line
FROM look AS l
LEFT JOIN main.file AS f ON f.run_no = (SELECT run_no FROM temp.current_run) AND f.file_no = l.file_no
WHERE l.before <> l.type;
