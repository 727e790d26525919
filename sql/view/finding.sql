-- finding: what is wrong with the evidence itself.
--
--   finding_no   counted from 0
--   id           dotted: ledger.lines_lost, message.no_scenario, ...
--   detail       one sentence with the figures
--   count        of what the sentence says
--   file         of the first place
--   line         of the first place
CREATE TEMP VIEW IF NOT EXISTS finding AS
SELECT x.finding_no, x.id, x.detail, x.count, f.path AS file, x.line
FROM main.finding AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
