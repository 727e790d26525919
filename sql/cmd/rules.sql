-- The rules of a set, as a list of objects in JSON. :rules :kind
SELECT value ->> 'id' AS id, value ->> 'kind' AS kind, value ->> 'rev' AS rev, value ->> 'status' AS status,
	value ->> 'title' AS title, value ->> 'tests' AS tests, value ->> 'place' AS place
FROM json_each(:rules)
WHERE :kind IS NULL OR value ->> 'kind' = :kind
