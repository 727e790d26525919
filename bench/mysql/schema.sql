-- The messages table of a production fork of Tinode, as far as reading it goes: no foreign key, and the client's message id three
-- times over: in the JSON head, in a column of its own, and as a generated column of the head. Its indexes come after its rows.
CREATE TABLE messages (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	createdat DATETIME(3) NOT NULL,
	topic VARCHAR(25) NOT NULL,
	seqid INT NOT NULL,
	`from` BIGINT NOT NULL,
	head JSON,
	client_mid VARCHAR(64),
	content JSON,
	head_mid VARCHAR(64) AS (JSON_VALUE(head, '$."x-im-client-mid"')) VIRTUAL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
