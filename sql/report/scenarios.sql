-- Scenarios in the order of the plan. :run
SELECT id, kind, warmup, drain_ns, first_pub, last_pub, window_end
FROM main.scenario
WHERE run_no = :run
ORDER BY scenario_no;
