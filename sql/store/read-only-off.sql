-- Allow writing again.
PRAGMA query_only = OFF;
