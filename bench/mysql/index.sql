-- Each by one sorted build.
ALTER TABLE messages
	ADD UNIQUE KEY messages_topic_seqid (topic, seqid),
	ADD KEY messages_client_mid (client_mid);
ALTER TABLE messages ADD KEY messages_head_mid (head_mid);
ANALYZE TABLE messages;
