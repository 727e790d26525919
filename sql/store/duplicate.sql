-- duplicate: one line for each further copy at an expected receiver, warm-up left out.
--
--   mid          of the message
--   topic        of the message
--   sender       account
--   receiver     account
--   scenario     id, NULL: fits none
--   outcome      of the message: acked | unknown | rejected | unsent
--   t            arrival, Unix ns
--   seq          that the copy carries
--   copy         2, 3, ... by time
--   late         1: after the drain window; NULL: there is none
--   latency_ns   from the first `pub` of the message; NULL: never written
--   first_t      arrival of the first copy, Unix ns
--   message_no   hidden: number of the message
--   member_no    hidden: place of the receiver in its topic
CREATE TABLE duplicate (
	mid TEXT, topic TEXT, sender TEXT, receiver TEXT, scenario TEXT, outcome TEXT, t INTEGER, seq INTEGER, copy INTEGER,
	late INTEGER, latency_ns INTEGER, first_t INTEGER, message_no INTEGER HIDDEN, member_no INTEGER HIDDEN
);
