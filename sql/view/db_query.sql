-- db_query: queries of the database and the dead letters, and whether absence may stand on them.
--
--   query_no   counted from 0
--   of         rows | deads
--   t          Unix ns
--   tab        table
--   kind       p2p | group; NULL: all
--   complete   1: the line says so
--   count      rows, as the line says
--   found      distinct rows that are here
--   holds      1: absence may stand on it
--   query      its text
--   check      which look-up it was, from 1
--   file       path below the results directory
--   line       from 1
CREATE TEMP VIEW IF NOT EXISTS db_query AS
SELECT x.query_no, x.of, x.t, x.tab, x.kind, x.complete, x.count, x.found, x.holds, x.query, x."check", f.path AS file,
	x.line
FROM main.db_query AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
