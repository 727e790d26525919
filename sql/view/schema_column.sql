-- schema_column: columns of the database's tables.
--
--   column_no   counted from 0
--   tab         table
--   name        of the column
--   type        as the database says
--   nullable    0 | 1; NULL: not said
--   extra       as the database says
--   t           when it was looked at, Unix ns; NULL: not said
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS schema_column AS
SELECT x.column_no, x.tab, x.name, x.type, x.nullable, x.extra, x.t, f.path AS file, x.line
FROM main.schema_column AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
