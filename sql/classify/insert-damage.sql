-- ?1 run_no, ?2 damage_no, ?3 file_no, ?4 line, ?5 what, ?6 reason
INSERT INTO main.damage (
	run_no, damage_no, file_no, line, what, reason
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6
)
