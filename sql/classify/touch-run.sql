-- A run that was ingested again and is as it was becomes the one ingested last. :run_id
UPDATE main.run SET ingest_no = (SELECT max(ingest_no) + 1 FROM main.run)
WHERE run_id = :run_id AND ingest_no < (SELECT max(ingest_no) FROM main.run)
