-- agent: agents of the load generator, planned or seen.
--
--   agent            name
--   planned          1: run.json names it
--   present          1: it left a ledger
--   cut_off          1: some stretch from a `start` has no `end`
--   records          over all its files, re-sent ones once
--   records_stated   by its last `end`; NULL: it does not say
--   clock_worst_ns   the measured clock offset farthest from 0; NULL: never measured
CREATE TEMP VIEW IF NOT EXISTS agent AS
SELECT x.name AS agent, x.planned, x.present, x.cut_off, x.records, x.records_stated, x.clock_worst_ns
FROM main.agent AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
