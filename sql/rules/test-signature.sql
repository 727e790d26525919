-- A rule's test is read with every signature of its set. :id
INSERT OR IGNORE INTO main.log_signature (run_no, id) VALUES (1, :id)
