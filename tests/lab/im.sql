-- The tables of a messaging product that tests/lab/pipe writes, as it had them when its ids outgrew them.
CREATE TABLE im_008_messages (
	id int NOT NULL AUTO_INCREMENT PRIMARY KEY,
	createdat datetime(3) NOT NULL,
	seqid int NOT NULL,
	topic char(25) NOT NULL,
	client_msg_id varchar(64) NOT NULL,
	content json,
	UNIQUE KEY im_008_messages_topic_seqid (topic, seqid),
	KEY im_008_messages_client_msg_id (client_msg_id)
) ENGINE = InnoDB;
CREATE TABLE im_kafka_dead_letters (
	id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
	created_at datetime(3) NOT NULL,
	replayed_at datetime(3),
	kafka_topic varchar(255) NOT NULL,
	topic char(25) NOT NULL,
	client_msg_id varchar(64) NOT NULL,
	payload json NOT NULL,
	error varchar(1024) NOT NULL,
	error_code int NOT NULL,
	status enum('dead', 'replayed') NOT NULL DEFAULT 'dead',
	KEY im_kafka_dead_letters_client_msg_id (client_msg_id)
) ENGINE = InnoDB;
