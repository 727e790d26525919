-- overflow_letter: dead letters of the run whose error says that an id does not fit its column.
--
--   dead_no      as in dead_letter
--   message_no   of its message
--   error        as the letter has it
--   file         path below the results directory
--   line         from 1
CREATE TEMP VIEW IF NOT EXISTS overflow_letter AS
SELECT d.dead_no, d.message_no, d.error, f.path AS file, d.line
FROM main.dead_letter AS d
LEFT JOIN main.file AS f ON f.run_no = d.run_no AND f.file_no = d.file_no
WHERE d.run_no = (SELECT run_no FROM temp.current_run) AND d.message_no IS NOT NULL
	AND (d.code IN (1264, 167, 1467) OR d.error LIKE '%Error 1264%' OR d.error LIKE '%Error 167 %' OR d.error LIKE '%Error 167:%'
		OR d.error LIKE '%Error 1467%' OR d.error LIKE '%Out of range value for column ''id''%');
