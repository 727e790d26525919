-- MySQL's own identity.
SELECT @@server_uuid;
