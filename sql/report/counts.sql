-- Counters over all files. :run
SELECT name, value
FROM main.ingest_count
WHERE run_no = :run
ORDER BY name;
