-- Numbers for a new run: its own, and that of this ingest.
SELECT coalesce(max(run_no), 0) + 1, coalesce(max(ingest_no), 0) + 1 FROM main.run
