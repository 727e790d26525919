-- How many damaged lines there are. :run
SELECT count(*)
FROM main.damage
WHERE run_no = :run;
