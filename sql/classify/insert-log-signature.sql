-- A signature; several expressions may be of one. ?1 run_no, ?2 id
INSERT OR IGNORE INTO main.log_signature (
	run_no, id
) VALUES (
	?1, ?2
)
