-- ?1 run_no, ?2 name, ?3 value
INSERT INTO main.ingest_count (
	run_no, name, value
) VALUES (
	?1, ?2, ?3
)
