-- A mark of a rule's test, unless the test has it. :name :t
INSERT OR IGNORE INTO main.mark (run_no, name, t, source) VALUES (1, :name, :t, 'derived')
