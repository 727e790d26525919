-- Packed deliveries of a run in the order they were written. ?1 run
SELECT message_no, first_member, body FROM main.delivery_block WHERE run_no = ?1 ORDER BY rowid
