-- Remove a run with all that belongs to it. :run
DELETE FROM main.run
WHERE run_no = :run;
