-- Escapes are known, times are UTC, a transaction sees one state.
SET SESSION sql_mode = '', time_zone = '+00:00';
