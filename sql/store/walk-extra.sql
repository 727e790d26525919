-- Copies of a message that are in no block. :run_no, :message_no
SELECT account_no, t, kind, seq, topic_no
FROM main.extra_copy
WHERE run_no = :run_no AND message_no = :message_no
ORDER BY account_no, t, copy_no;
