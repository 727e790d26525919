-- From now on nothing is written, not even to TEMP tables.
PRAGMA query_only = ON;
