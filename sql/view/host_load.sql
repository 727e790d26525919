-- host_load: samples of machines that run a load tool, as far as they lie in the load. Where the time of one is not known all of them do.
--
--   source   name
--   point    place in its array, from 0
--   s        seconds, of Unix or by the machine's own clock; NULL: no time at all
--   at       the same as text: 12:03:10 UTC, 12:03:10 by its own clock
--   name     cpu_pct, time_wait, port_use_ratio, fd_use_ratio, ...
--   value    in the unit of its name
--   file     path below the results directory
--   line     from 1
CREATE TEMP VIEW IF NOT EXISTS host_load AS
WITH load AS (
	SELECT (SELECT t FROM main.mark AS m WHERE m.run_no = c.run_no AND m.name = 'load_start') AS a,
		(SELECT t FROM main.mark AS m WHERE m.run_no = c.run_no AND m.name = 'load_end') AS b
	FROM temp.current_run AS c
)
SELECT x.source, x.point, coalesce(x.t / 1e9, clock.value) AS s,
	strftime('%H:%M:%S', coalesce(x.t / 1000000000, clock.value), 'unixepoch')
		|| CASE WHEN x.t IS NULL THEN ' by its own clock' ELSE ' UTC' END AS at,
	x.name, x.value, x.file, x.line
FROM host_sample AS x
JOIN load
LEFT JOIN host_sample AS clock ON clock.source IS x.source AND clock.point = x.point AND clock.name = 'ts'
WHERE x.name <> 'ts' AND (x.t IS NULL OR a IS NULL OR b IS NULL OR x.t BETWEEN a AND b);
