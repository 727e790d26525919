-- For servers that do not know both together.
START TRANSACTION WITH CONSISTENT SNAPSHOT;
