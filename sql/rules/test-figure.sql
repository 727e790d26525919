-- A figure of the whole run of a rule's test. :name :value
INSERT INTO main.figure (run_no, scope, id, name, value) VALUES (1, 'total', '', :name, :value)
