-- Start to write: waits for its turn.
BEGIN IMMEDIATE;
