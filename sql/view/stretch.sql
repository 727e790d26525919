-- stretch: when an agent was watching.
--
--   agent    name
--   from_t   Unix ns
--   to_t     Unix ns
--   ended    0: cut off
CREATE TEMP VIEW IF NOT EXISTS stretch AS
SELECT a.name AS agent, x.from_t, x.to_t, x.ended
FROM main.stretch AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
