-- ?1 run_no, ?2 run_id, ?3 dir, ?4 ingest_no, ?5 inputs_sha256, ?6 has_plan, ?7 tenant, ?8 server, ?9 gates,
-- ?10 shared_host, ?11 log_zone, ?12 mid_prefix, ?13 build_expected, ?14 planned_accounts, ?15 has_topics,
-- ?16 has_conns, ?17 hashed
INSERT INTO main.run (
	run_no, run_id, dir, ingest_no, inputs_sha256, has_plan, tenant, server, gates, shared_host, log_zone, mid_prefix,
	build_expected, planned_accounts, has_topics, has_conns, hashed
) VALUES (
	?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17
)
