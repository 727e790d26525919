-- When accounts became READY, and on which pod. :run_no
SELECT account_no, from_t, pod FROM main.presence WHERE run_no = :run_no ORDER BY account_no, from_t;
