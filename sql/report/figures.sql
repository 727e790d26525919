-- The figures of one scope. :run :scope :id
SELECT name, value
FROM main.figure
WHERE run_no = :run AND scope = :scope AND id = :id
ORDER BY name;
