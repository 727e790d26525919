-- Start to read: one state of the store until the transaction ends.
BEGIN DEFERRED;
