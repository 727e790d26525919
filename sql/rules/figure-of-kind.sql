-- One count summed over the scenarios of a kind; NULL when one of them does not have it. :run :name :absent :kind
SELECT CASE WHEN count(*) = count(coalesce(f.value, :absent)) THEN sum(coalesce(f.value, :absent)) END
FROM main.scenario AS s
LEFT JOIN main.figure AS f ON f.run_no = s.run_no AND f.scope = 'scenario' AND f.id = s.id AND f.name = :name
WHERE s.run_no = :run AND s.kind = :kind AND s.warmup = 0
