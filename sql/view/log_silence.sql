-- log_silence: stretches of the load in which one pod's log was silent for long while another pod's log went on. A silence that ends
-- with the start of a process is none.
--
--   pod          whose log
--   from_t       its last line before, Unix ns
--   to_t         its next line, Unix ns
--   silence_ns   between them
--   usual_ns     mean time between two of its lines over the load
--   others       lines of other pods' logs in whole seconds within the silence
--   file         of its log, below the results directory
CREATE TEMP VIEW IF NOT EXISTS log_silence AS
WITH bounds AS (
	SELECT (SELECT t FROM temp.mark WHERE name = 'load_start') AS a, (SELECT t FROM temp.mark WHERE name = 'load_end') AS z
), spoken AS (
	SELECT s.source_no, c.pod, f.path AS file, s.second, s.lines, s.first_t, s.last_t,
		lag(s.last_t) OVER (PARTITION BY s.source_no ORDER BY s.second) AS before_t
	FROM main.log_second AS s
	JOIN main.source AS c ON c.run_no = s.run_no AND c.source_no = s.source_no
	LEFT JOIN main.file AS f ON f.run_no = c.run_no AND f.file_no = c.file_no
	WHERE s.run_no = (SELECT run_no FROM temp.current_run) AND c.pod IS NOT NULL
), usual AS (
	SELECT source_no, (z - a) / sum(lines) AS usual_ns FROM spoken, bounds
	WHERE second * 1000000000 >= a AND second * 1000000000 <= z GROUP BY source_no
), silent AS (
	SELECT s.source_no, s.pod, s.file, s.before_t AS from_t, s.first_t AS to_t, s.first_t - s.before_t AS silence_ns, u.usual_ns
	FROM spoken AS s JOIN usual AS u ON u.source_no = s.source_no, bounds
	WHERE s.before_t >= a - 1000000000 AND s.before_t < z AND s.first_t - s.before_t >= 1500000000
		AND s.first_t - s.before_t >= 20 * u.usual_ns
)
SELECT g.pod, g.from_t, g.to_t, g.silence_ns, g.usual_ns, g.others, g.file
FROM (
	SELECT x.*, (SELECT coalesce(sum(o.lines), 0) FROM spoken AS o
			WHERE o.pod <> x.pod AND o.second > x.from_t / 1000000000 AND o.second < x.to_t / 1000000000) AS others
	FROM silent AS x
) AS g
WHERE g.others >= 10
	AND NOT EXISTS (SELECT 1 FROM temp.log_hit AS h WHERE h.signature = 'log.runtime.server_start' AND h.pod = g.pod
		AND h.first_t BETWEEN g.to_t - 1000000000 AND g.to_t + 1000000000);
