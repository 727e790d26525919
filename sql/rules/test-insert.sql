-- The statement that puts a row of a rule's test into a table: one parameter a column, :row for numbers that the test leaves out
-- (*_no), and 0 or nothing for other columns that must be there; a blob has the bytes of its text. NULL: no such table. :table
SELECT 'INSERT INTO main."' || :table || '" (' || group_concat('"' || name || '"', ', ') || ') VALUES (' ||
	group_concat(CASE
		WHEN name = 'run_no' THEN '1'
		WHEN "notnull" = 0 THEN ':' || name
		WHEN substr(name, -3) = '_no' THEN 'coalesce(:' || name || ', :row)'
		WHEN type = 'TEXT' THEN 'coalesce(:' || name || ', '''')'
		WHEN type = 'BLOB' THEN 'CAST(coalesce(:' || name || ', '''') AS BLOB)'
		ELSE 'coalesce(:' || name || ', 0)'
	END, ', ') || ')'
FROM pragma_table_info(:table)
