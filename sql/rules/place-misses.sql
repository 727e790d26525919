-- Every missing delivery of the selected run, by message.
SELECT message_no, member_no FROM missing_pod ORDER BY message_no, member_no
