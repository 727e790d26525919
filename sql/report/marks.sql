-- Phase marks in the order of time. :run
SELECT name, source, t
FROM main.mark
WHERE run_no = :run
ORDER BY t, name;
