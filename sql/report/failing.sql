-- Messages that something is wrong with: every class but ok, and late answers. :run
SELECT count(*)
FROM main.message
WHERE run_no = :run AND excluded = 0
	AND (class <> 'ok' OR instr(' ' || anomalies || ' ', ' late_ack ') > 0);
