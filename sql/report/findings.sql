-- Findings with the first place of each. :run
SELECT f.id, f.detail, file.path, file.sha256, f.count, f.line
FROM main.finding AS f
LEFT JOIN main.file AS file ON file.run_no = f.run_no AND file.file_no = f.file_no
WHERE f.run_no = :run
ORDER BY f.finding_no;
