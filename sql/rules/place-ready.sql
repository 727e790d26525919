-- When accounts became READY, and on which pod. :run
SELECT account_no, from_t, pod FROM main.presence WHERE run_no = :run ORDER BY account_no, from_t
