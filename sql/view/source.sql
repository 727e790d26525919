-- source: one line for each stream of evidence that is no ledger, and what it can testify to.
--
--   source_no        counted from 0
--   kind             log | metrics | kafka | redis | mysql | kube | health | loadgen
--   name             pod/container, scrape target, group/topic, instance, server, file or agent
--   pod              of the server; NULL: not known, or of none
--   container        NULL likewise
--   format           cri | docker | kubectl | stern | loki | go | klog | json | text; prometheus | openmetrics | api; ...
--   first_t          first sample, Unix ns; NULL: no time is known
--   last_t           last sample, Unix ns
--   samples          log events, metric samples, objects, ...
--   gaps             holes that the source itself shows
--   longest_gap_ns   longest silence between two samples
--   cut              1: its beginning or end is missing (rotated away, tail limit, torn)
--   sampled          1: it says itself that it leaves out some
--   limited          1: a limit was reached exactly
--   damaged          lines or records that could not be used
--   resent           lines that a collector sent twice, counted once
--   zone             of a log: own | log_zone | other_line | anchored | unknown
--   zone_offset_ns   that was taken off its times; NULL: none
--   note             words of the collector itself, or what is odd
--   covers_load      1: it testifies to all of the load, so that what it does not show was not there
--   file             its first file, below the results directory
CREATE TEMP VIEW IF NOT EXISTS source AS
SELECT x.source_no, x.kind, x.name, x.pod, x.container, x.format, x.first_t, x.last_t, x.samples, x.gaps, x.longest_gap_ns, x.cut,
	x.sampled, x.limited, x.damaged, x.resent, x.zone, x.zone_offset_ns, x.note,
	coalesce(x.first_t <= (SELECT t FROM main.mark AS m WHERE m.run_no = x.run_no AND m.name = 'load_start')
		AND x.last_t >= (SELECT t FROM main.mark AS m WHERE m.run_no = x.run_no AND m.name = 'load_end')
		AND x.cut = 0 AND x.sampled = 0 AND x.limited = 0 AND x.damaged = 0
		AND (x.zone IS NULL OR x.zone <> 'unknown'), 0) AS covers_load,
	f.path AS file
FROM main.source AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
