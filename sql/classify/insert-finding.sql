-- ?1 run_no, ?2 finding_no, ?3 id, ?4 detail, ?5 count, ?6 file_no, ?7 line
INSERT INTO main.finding (
	run_no, finding_no, id, detail, count, file_no, line
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7
)
