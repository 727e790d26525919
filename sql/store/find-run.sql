-- A run by its id, or the one ingested last. :run_id or NULL
SELECT run_no FROM main.run WHERE :run_id IS NULL OR run_id = :run_id ORDER BY ingest_no DESC, run_no DESC LIMIT 1;
