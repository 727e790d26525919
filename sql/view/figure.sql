-- figure: figures of the truth model, one line for each key of the JSON report.
--
--   scope   total | scenario | agent
--   id      of the scenario or agent; '' in total
--   name    dotted: delivery.missing, latency_ms.ack.p95, by_code.202, ...
--   value   count, rate, or integer ns of a latency; NULL: not evaluated
CREATE TEMP VIEW IF NOT EXISTS figure AS
SELECT x.scope, x.id, x.name, x.value
FROM main.figure AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
