-- Packed deliveries of a run, in the order of the primary key: no sorting of blobs. ?1 run
SELECT message_no, first_member, body FROM main.delivery_block WHERE run_no = ?1 ORDER BY message_no, first_member
