-- Why nothing is to be seen of {table}: the error says it.
SELECT 1 FROM {table} LIMIT 0;
