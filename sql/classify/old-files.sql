-- Inputs that a run was made from. ?1 run
SELECT path FROM main.file WHERE run_no = ?1 AND manifest IS NOT 'missing' ORDER BY path
