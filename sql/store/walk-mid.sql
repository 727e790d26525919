-- Number of a message. :run_no, :mid
SELECT message_no FROM main.message WHERE run_no = :run_no AND mid = :mid ORDER BY message_no LIMIT 1;
