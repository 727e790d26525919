-- The run of a rule's test: a plan, topics and connections, unless the test says otherwise. One :parameter a column.
INSERT INTO main.run (run_no, run_id, dir, ingest_no, inputs_sha256, has_plan, tenant, server, gates, shared_host, log_zone, mid_prefix,
	build_expected, planned_accounts, has_topics, has_conns, hashed)
VALUES (1, 'test', '/', 1, '', coalesce(:has_plan, 1), :tenant, coalesce(:server, 'im-server'), coalesce(:gates, 'release'),
	coalesce(:shared_host, 0), :log_zone, :mid_prefix, :build_expected, :planned_accounts, coalesce(:has_topics, 1),
	coalesce(:has_conns, 1), coalesce(:hashed, 1))
