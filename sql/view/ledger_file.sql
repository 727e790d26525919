-- ledger_file: one line for each agent that left a ledger, however many files it has.
--
--   agent            name
--   path             of its first file, below the results directory
--   files            how many it has
--   ended            0: some stretch from a `start` has no `end`
--   lines            of all its files
--   records          of all its files, re-sent ones once
--   records_stated   by its last `end`; NULL: it does not say
--   rejected         records that could not be used
--   repaired         records that were used after repair
CREATE TEMP VIEW IF NOT EXISTS ledger_file AS
SELECT a.name AS agent, min(f.path) AS path, count(f.path) AS files, NOT a.cut_off AS ended, coalesce(sum(f.lines), 0) AS lines,
	a.records, a.records_stated, coalesce(sum(f.rejected), 0) AS rejected, coalesce(sum(f.repaired), 0) AS repaired
FROM main.agent AS a
LEFT JOIN main.file AS f ON f.run_no = a.run_no AND f.agent_no = a.agent_no AND f.kind = 'ledger'
WHERE a.run_no = (SELECT run_no FROM temp.current_run) AND a.present
GROUP BY a.run_no, a.agent_no;
