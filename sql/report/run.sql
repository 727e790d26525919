-- What is known of the run itself. :run
SELECT run_id, server, gates, tenant, build_expected, has_plan, has_topics, has_conns, hashed, shared_host, planned_accounts
FROM main.run
WHERE run_no = :run;
