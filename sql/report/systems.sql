-- Systems that run.json lists. :run
SELECT system
FROM main.run_system
WHERE run_no = :run
ORDER BY system;
