-- delivery: one line for each copy of a message that somebody received, warm-up left out.
--
-- Made from packed blocks: all deliveries of one message (WHERE mid = ...) and everything in order of message are fast, a search by
-- receiver or time reads the whole run. `missing` and `duplicate` answer what anti-joins over this table would take long for.
--
--   mid          of the message
--   topic        on which the copy came
--   sender       account
--   receiver     account
--   scenario     id, NULL: fits none
--   outcome      of the message: acked | unknown | rejected | unsent
--   t            arrival, Unix ns
--   seq          that the copy carries
--   copy         1 for the first at this receiver, by time, then 2, 3, ...; those on a wrong topic are counted apart
--   kind         expected | echo (the sender's own of a p2p message) | not_ready (a member that is not expected) | stranger (no member
--                of the topic) | wrong_topic
--   late         1: after the drain window; NULL: there is none
--   latency_ns   from the first `pub` of the message; NULL: never written
--   message_no   hidden: number of the message
--   member_no    hidden: place of the receiver in its topic; NULL: no member
CREATE TABLE delivery (
	mid TEXT, topic TEXT, sender TEXT, receiver TEXT, scenario TEXT, outcome TEXT, t INTEGER, seq INTEGER, copy INTEGER, kind TEXT,
	late INTEGER, latency_ns INTEGER, message_no INTEGER HIDDEN, member_no INTEGER HIDDEN
);
