-- What imlab keeps in MariaDB: the tables of Tinode's adapter 116 that it uses, without their foreign keys (the directory is written behind).
CREATE TABLE users (
	id BIGINT NOT NULL PRIMARY KEY,
	createdat DATETIME(3) NOT NULL,
	updatedat DATETIME(3) NOT NULL,
	public JSON
) ENGINE = InnoDB;
CREATE TABLE auth (
	id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	uname VARCHAR(64) NOT NULL,
	userid BIGINT NOT NULL,
	scheme VARCHAR(16) NOT NULL,
	secret VARCHAR(255) NOT NULL,
	UNIQUE KEY auth_uname (uname)
) ENGINE = InnoDB;
CREATE TABLE topics (
	id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	createdat DATETIME(3) NOT NULL,
	updatedat DATETIME(3) NOT NULL,
	touchedat DATETIME(3),
	state SMALLINT NOT NULL DEFAULT 0,
	name CHAR(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	owner BIGINT NOT NULL DEFAULT 0,
	access VARCHAR(8) NOT NULL,
	seqid INT NOT NULL DEFAULT 0,
	subcnt INT NOT NULL DEFAULT 0,
	public JSON,
	UNIQUE KEY topics_name (name)
) ENGINE = InnoDB;
CREATE TABLE subscriptions (
	id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	createdat DATETIME(3) NOT NULL,
	updatedat DATETIME(3) NOT NULL,
	deletedat DATETIME(3),
	userid BIGINT NOT NULL,
	topic CHAR(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	recvseqid INT NOT NULL DEFAULT 0,
	readseqid INT NOT NULL DEFAULT 0,
	modewant CHAR(8),
	modegiven CHAR(8),
	UNIQUE KEY subscriptions_topic_userid (topic, userid)
) ENGINE = InnoDB;
CREATE TABLE messages (
	id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	createdat DATETIME(3) NOT NULL,
	updatedat DATETIME(3) NOT NULL,
	deletedat DATETIME(3),
	delid INT NOT NULL DEFAULT 0,
	seqid INT NOT NULL,
	topic CHAR(25) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`from` BIGINT NOT NULL,
	head JSON,
	content JSON,
	UNIQUE KEY messages_topic_seqid (topic, seqid)
) ENGINE = InnoDB;
