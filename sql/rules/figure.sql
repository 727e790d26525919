-- One figure of the whole run. An absent one is :absent. :run :name :absent
SELECT coalesce((SELECT value FROM main.figure WHERE run_no = :run AND scope = 'total' AND id = '' AND name = :name), :absent)
