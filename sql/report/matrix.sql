-- Outcome x observed x persisted of one scope. :run :scope :id
SELECT outcome, observed, persisted, count
FROM main.matrix
WHERE run_no = :run AND scope = :scope AND id = :id
ORDER BY outcome, observed, persisted;
