-- When a mark of the run was. :run :name
SELECT t FROM main.mark WHERE run_no = :run AND name = :name
