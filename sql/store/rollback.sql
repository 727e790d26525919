-- Undo a transaction.
ROLLBACK;
