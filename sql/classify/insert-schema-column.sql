-- ?1 run_no, ?2 column_no, ?3 tab, ?4 name, ?5 type, ?6 nullable, ?7 extra, ?8 t, ?9 file_no, ?10 line
INSERT INTO main.schema_column (
	run_no, column_no, tab, name, type, nullable, extra, t, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
)
