-- db_row: rows of the database; warm-up left out.
--
--   row_no       counted from 0
--   message_no   NULL: foreign
--   mid          of its message; NULL: foreign
--   tab          table
--   topic        as the row says
--   seq          as the row says
--   id           of the row
--   created_t    Unix ns
--   check        which look-up it was, from 1
--   file         path below the results directory
--   line         from 1
CREATE TEMP VIEW IF NOT EXISTS db_row AS
SELECT x.row_no, x.message_no, m.mid AS mid, x.tab, x.topic, x.seq, x.id, x.created_t, x."check", f.path AS file, x.line
FROM main.db_row AS x
LEFT JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run) AND m.excluded IS NOT 1;
