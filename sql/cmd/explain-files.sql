-- The files that may hold lines of messages, with what they were when they were read. :run
SELECT file_no, path, kind, sha256, bytes
FROM main.file
WHERE run_no = :run AND kind IN ('ledger', 'history', 'db')
ORDER BY file_no;
