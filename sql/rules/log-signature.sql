-- Did the ingest of a run look for a signature? :run :signature
SELECT EXISTS (SELECT 1 FROM main.log_signature WHERE run_no = :run AND id = :signature)
