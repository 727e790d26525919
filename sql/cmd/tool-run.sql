-- A run of nothing but files of a load tool. :id
INSERT INTO main.run (run_no, run_id, dir, ingest_no, inputs_sha256, has_plan, server, gates, shared_host, has_topics, has_conns, hashed)
VALUES (1, :id, '', 1, '', 0, '', 'trust', 0, 0, 0, 0)
