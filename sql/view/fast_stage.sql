-- fast_stage: stages of a publish that the server times, when 95 % of them took at most 0.1 s.
--
--   stage   its name
--   n       how often over the load and its drain, on all pods
--   le      the bucket below which 95 % lie, s
CREATE TEMP VIEW IF NOT EXISTS fast_stage AS
WITH bucket AS (
	SELECT name, labels, increase, instr(labels, 'stage="') AS stage_at, instr(labels, 'le="') AS le_at
	FROM temp.metric_increase WHERE name LIKE '%stage_duration_seconds_bucket' AND labels LIKE '%le="%' AND labels LIKE '%stage="%'
), bound AS (
	SELECT name, increase, substr(labels, stage_at + 7, instr(substr(labels, stage_at + 7), '"') - 1) AS stage,
		substr(labels, le_at + 4, instr(substr(labels, le_at + 4), '"') - 1) AS le
	FROM bucket
), total AS (
	SELECT name, stage, le, sum(increase) AS n, max(sum(increase)) OVER (PARTITION BY name, stage) AS whole
	FROM bound GROUP BY name, stage, le
)
SELECT stage, CAST(whole AS INTEGER) AS n, min(CAST(le AS REAL)) AS le
FROM total WHERE le <> '+Inf' AND whole > 0 AND n >= 0.95 * whole
GROUP BY stage, whole
HAVING min(CAST(le AS REAL)) <= 0.1;
