-- Has a rule's test marks of its own, and between which moments was the load?
SELECT count(*), min(t) FILTER (WHERE name = 'load_start'), max(t) FILTER (WHERE name = 'load_end')
FROM main.mark
WHERE run_no = 1
