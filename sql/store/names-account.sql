-- Names of the accounts of a run, by number. :run_no
SELECT account_no, name FROM main.account WHERE run_no = :run_no ORDER BY account_no;
