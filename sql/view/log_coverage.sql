-- log_coverage: whether the logs can show that something was not logged, one line.
--
--   pods       that should have a log: those of run.json, else of `conn` lines, else those that have one
--   covering   of these: with a log that covers the load
--   complete   1: all of them, and there is at least one
CREATE TEMP VIEW IF NOT EXISTS log_coverage AS
WITH expected AS (
	SELECT pod FROM temp.run_pod
	UNION
	SELECT pod FROM temp.conn WHERE pod IS NOT NULL AND NOT EXISTS (SELECT 1 FROM temp.run_pod)
	UNION
	SELECT pod FROM temp.source WHERE kind = 'log' AND pod IS NOT NULL
), state AS (
	SELECT e.pod, EXISTS (SELECT 1 FROM temp.source AS s WHERE s.kind = 'log' AND s.pod = e.pod AND s.covers_load) AS covers FROM expected AS e
)
SELECT count(*) AS pods, coalesce(sum(covers), 0) AS covering, count(*) > 0 AND sum(covers) = count(*) AS complete FROM state;
