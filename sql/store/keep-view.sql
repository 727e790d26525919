-- The statements that put the rows of a view into a table behind it. :view, :columns (of an index; '' for none)
SELECT 'CREATE TEMP TABLE kept_' || :view || ' AS SELECT * FROM temp.' || :view || ';'
	|| CASE :columns WHEN '' THEN '' ELSE 'CREATE INDEX temp.kept_' || :view || '_by ON kept_' || :view || ' (' || :columns || ');' END
	|| 'DROP VIEW temp.' || :view || ';'
	|| 'CREATE TEMP VIEW ' || :view || ' AS SELECT * FROM temp.kept_' || :view || ';';
