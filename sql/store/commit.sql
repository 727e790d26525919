-- End a transaction.
COMMIT;
