-- Two reasons that evidence gives may come to one name: they count together. ?1 run, ?2 scope, ?3 id, ?4 name, ?5 value
INSERT INTO main.figure (run_no, scope, id, name, value) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET value = value + excluded.value
