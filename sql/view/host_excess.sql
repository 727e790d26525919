-- host_excess: stretches during which a machine that runs a load tool was above a limit of the trust profile.
--
--   source   name
--   name     cpu_pct, time_wait, port_use_ratio, fd_use_ratio
--   bound    that was exceeded
--   points   samples
--   peak     the highest of them
--   s        when it began, as host_load has it
--   words    CPU up to 93 % between 12:03:10 and 12:03:40 UTC
CREATE TEMP VIEW IF NOT EXISTS host_excess AS
WITH edge (name, bound, what, scale, unit) AS (
	VALUES ('cpu_pct', 70, 'CPU', 1, ' %'), ('time_wait', 5000, 'TIME_WAIT', 1, ''), ('port_use_ratio', 0.6, 'ports', 100, ' %'),
		('fd_use_ratio', 0.8, 'descriptors', 100, ' %')
), ranked AS (
	SELECT h.*, b.bound, b.what, b.scale, b.unit, row_number() OVER (PARTITION BY h.source, h.name ORDER BY h.point) AS k
	FROM host_load AS h JOIN edge AS b USING (name)
), above AS (
	SELECT *, k - row_number() OVER (PARTITION BY source, name ORDER BY point) AS island FROM ranked WHERE value > bound
), stretch AS (
	SELECT source, name, bound, what, scale, unit, count(*) AS points, max(value) AS peak, min(s) AS s,
		strftime('%H:%M:%S', min(s), 'unixepoch') AS begins, strftime('%H:%M:%S', max(s), 'unixepoch') AS ends,
		max(substr(at, 9)) AS clock, min(point) AS p, max(point) AS q
	FROM above GROUP BY source, name, island
)
SELECT source, name, bound, points, peak, s,
	what || ' up to ' || printf('%.4g', peak * scale) || unit || coalesce(CASE
		WHEN begins = ends THEN ' at ' || begins || clock
		ELSE ' between ' || begins || ' and ' || ends || clock
	END, ' in samples ' || p || ' to ' || q) AS words
FROM stretch;
