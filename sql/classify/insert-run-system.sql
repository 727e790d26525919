-- A plan may name a system twice. ?1 run_no, ?2 system
INSERT INTO main.run_system (run_no, system) VALUES (?1, ?2) ON CONFLICT DO NOTHING
