-- Every copy of one message. :message
SELECT t, receiver, topic, seq, copy, kind, late
FROM delivery
WHERE message_no = :message
ORDER BY t, receiver, copy;
