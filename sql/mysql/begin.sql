-- One state for rows and dead letters of all tables, and nothing is written.
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;
