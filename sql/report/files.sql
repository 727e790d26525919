-- Evidence files. :run
SELECT path, kind, sha256, manifest, compression, bytes, lines, records, events, rejected, repaired, resent, cut
FROM main.file
WHERE run_no = :run
ORDER BY file_no;
