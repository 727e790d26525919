-- Who never got a message. :message
SELECT receiver, disconnected, agent
FROM missing
WHERE message_no = :message
ORDER BY receiver, member_no;
