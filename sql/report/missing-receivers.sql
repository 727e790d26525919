-- Who misses a message. :message
SELECT receiver, disconnected
FROM missing
WHERE message_no = :message
ORDER BY member_no;
