-- First copies that are in no block. ?1 run
SELECT message_no, account_no, t FROM main.extra_copy WHERE run_no = ?1 AND kind = 'first'
