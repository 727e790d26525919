-- Agents, planned or present. :run
SELECT name, planned, present, cut_off, records, records_stated, clock_worst_ns
FROM main.agent
WHERE run_no = :run
ORDER BY agent_no;
