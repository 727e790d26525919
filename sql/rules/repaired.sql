-- Messages of the selected run that an earlier look-up of the database missed and a later one has, and when they were under way.
SELECT r.message_no, coalesce(m.first_pub, r.since_t), r.since_t
FROM repaired AS r
JOIN message AS m ON m.message_no = r.message_no
ORDER BY r.message_no;
