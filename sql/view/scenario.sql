-- scenario: scenarios of the run.
--
--   scenario     id
--   kind         p2p | group
--   planned      messages, as run.json says
--   drain_ns     length of the drain
--   warmup       1: counts in nothing
--   first_pub    Unix ns; NULL: nothing was written
--   last_pub     Unix ns
--   window_end   end of the drain window, Unix ns
CREATE TEMP VIEW IF NOT EXISTS scenario AS
SELECT x.id AS scenario, x.kind, x.planned, x.drain_ns, x.warmup, x.first_pub, x.last_pub, x.window_end
FROM main.scenario AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
