-- Damaged lines, the first :limit of them. :run :limit
SELECT file.path, d.what, d.reason, d.line
FROM main.damage AS d
JOIN main.file AS file ON file.run_no = d.run_no AND file.file_no = d.file_no
WHERE d.run_no = :run
ORDER BY d.damage_no
LIMIT :limit;
