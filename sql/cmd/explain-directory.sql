-- Where a run was read from. :run
SELECT run_id, dir
FROM main.run
WHERE run_no = :run;
