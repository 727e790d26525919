-- Who answers.
SELECT VERSION(), @@version_comment, @@hostname, @@server_id, @@read_only OR @@innodb_read_only;
