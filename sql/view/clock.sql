-- clock: measurements of the agents' clocks.
--
--   clock_no    counted from 0
--   agent       name
--   t           Unix ns
--   offset_ns   this clock minus the reference
--   rtt_ns      of the measurement
--   source      as the line says
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS clock AS
SELECT x.clock_no, a.name AS agent, x.t, x.offset_ns, x.rtt_ns, x.source, f.path AS file, x.line
FROM main.clock AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
