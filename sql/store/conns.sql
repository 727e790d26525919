-- Lines that make an account connected or not, in their order. :run_no
SELECT account_no, t, state = 'ready' FROM main.conn WHERE run_no = :run_no AND state <> 'open' ORDER BY account_no, conn_no;
