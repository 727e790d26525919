-- missing_pod: missing deliveries of acked messages, with the pods on both sides.
--
--   message_no     of the message
--   member_no      place of the receiver in its topic
--   receiver       account
--   topic          of the message
--   sent_t         `pub`, Unix ns
--   window_end     end of the drain window, Unix ns
--   disconnected   1: the receiver was not connected throughout
--   sender_pod     that the sender was READY on last, at sent_t or before; NULL: not known
--   receiver_pod   the same of the receiver
CREATE TEMP VIEW IF NOT EXISTS missing_pod AS
SELECT message_no, member_no, receiver, topic, sent_t, window_end, disconnected, sender_pod, receiver_pod
FROM missing;
