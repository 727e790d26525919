-- Settings of every connection. Delivery blocks of some KB waste least in pages of 2 KB. The journal is SQLite's default, a rollback
-- journal (src/store/store.c says why).
PRAGMA page_size = 2048;
PRAGMA cache_size = -2048;
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = OFF;
PRAGMA cell_size_check = ON;
PRAGMA trusted_schema = OFF;
