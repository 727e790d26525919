-- calibration: ceilings of the load generators as they measured them.
--
--   calibration_no   counted from 0
--   agent            name
--   t                Unix ns
--   ceiling_per_s    messages a second
--   sockets          open meanwhile
--   target           as the line says
--   version          of the agent
--   file             path below the results directory
--   line             from 1
CREATE TEMP VIEW IF NOT EXISTS calibration AS
SELECT x.calibration_no, a.name AS agent, x.t, x.ceiling_per_s, x.sockets, x.target, x.version, f.path AS file, x.line
FROM main.calibration AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
