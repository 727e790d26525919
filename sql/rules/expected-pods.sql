-- Pods that a run should have: those that run.json lists, else those that connections name. :run
SELECT pod FROM main.run_pod WHERE run_no = :run
UNION
SELECT pod FROM main.conn
WHERE run_no = :run AND pod IS NOT NULL AND NOT EXISTS (SELECT 1 FROM main.run_pod WHERE run_no = :run)
ORDER BY pod
