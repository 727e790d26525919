-- ingest_count: counters over all files, as `ingest` of the JSON report.
--
--   name    dotted: lines, rejected, foreign.data, ...
--   value   count
CREATE TEMP VIEW IF NOT EXISTS ingest_count AS
SELECT x.name, x.value
FROM main.ingest_count AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
