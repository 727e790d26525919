-- db_check: look-ups of the database, one line for each check and kind of message that some table was asked for.
--
--   check      from 1
--   kind       p2p | group; NULL: of messages whose kind nobody knows
--   complete   1: every table that is asked for this kind, in whatever check, ended complete, so that absence may stand on it
--   t          when the first of its queries ended, Unix ns
--   until_t    when the last one did
--   file       path below the results directory, of the first
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS db_check AS
WITH kinds(kind) AS (
	VALUES ('p2p'), ('group'), (NULL)
), query AS (
	SELECT q.*, row_number() OVER (PARTITION BY q."check", q.tab, q.kind ORDER BY q.t DESC, q.file_no DESC, q.line DESC) AS back
	FROM main.db_query AS q WHERE q.run_no = (SELECT run_no FROM temp.current_run) AND q.of = 'rows'
), looked AS (
	SELECT k.kind, q."check", q.tab, min(q.holds) AS holds, max(q.t) AS until_t, min(q.t) AS t, q.file_no, q.line
	FROM kinds AS k JOIN query AS q ON q.back = 1 AND (q.kind IS NULL OR q.kind = k.kind)
	GROUP BY k.kind, q."check", q.tab
), asked AS (
	SELECT kind, count(DISTINCT tab) AS tables FROM looked GROUP BY kind
), checks AS (
	SELECT l.kind, l."check", count(*) AS tables, min(l.holds) AS holds, max(l.until_t) AS until_t, min(l.t) AS t, l.file_no, l.line
	FROM looked AS l GROUP BY l.kind, l."check"
)
SELECT c."check", c.kind, c.holds AND c.tables = a.tables AS complete, c.t, c.until_t, f.path AS file, c.line
FROM checks AS c JOIN asked AS a ON a.kind IS c.kind
LEFT JOIN main.file AS f ON f.run_no = (SELECT run_no FROM temp.current_run) AND f.file_no = c.file_no;
