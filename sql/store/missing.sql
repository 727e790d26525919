-- missing: one line for each expected receiver that an acked message never reached, although its agent was watching from the
-- message's first `pub` to the end of the drain window; warm-up left out.
--
--   mid            of the message
--   topic          of the message
--   sender         account
--   receiver       account
--   scenario       id, NULL: fits none
--   seq            of the message
--   sent_t         its first `pub`, Unix ns
--   window_end     end of its drain window, Unix ns
--   disconnected   1: the receiver was at some moment between the two not connected; NULL: the run has no `conn` line
--   agent          of the receiver
--   sender_pod     that the sender was READY on last, at sent_t or before; NULL: not known
--   receiver_pod   the same of the receiver
--   message_no     hidden: number of the message
--   member_no      hidden: place of the receiver in its topic
CREATE TABLE missing (
	mid TEXT, topic TEXT, sender TEXT, receiver TEXT, scenario TEXT, seq INTEGER, sent_t INTEGER, window_end INTEGER,
	disconnected INTEGER, agent TEXT, sender_pod TEXT, receiver_pod TEXT, message_no INTEGER HIDDEN, member_no INTEGER HIDDEN
);
