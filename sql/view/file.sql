-- file: one line for each file of the results directory.
--
--   path          below the results directory
--   kind          plan | timeline | accounts | topics | ledger | history | db | kafka | redis | metrics | kube | log | loadgen |
--                 manifest | unread
--   agent         in whose folder it lies
--   bytes         as it lies on disk
--   sha256        of these bytes; NULL: not hashed
--   manifest      ok | mismatch | missing; NULL: not listed in manifest.sha256
--   compression   none | gzip | zstd
--   lines         read
--   records       read
--   events        taken
--   rejected      records that could not be used
--   repaired      records that were used after repair
--   resent        records that stood there before
--   cut           1: the compressed stream ends too early
CREATE TEMP VIEW IF NOT EXISTS file AS
SELECT x.path, x.kind, a.name AS agent, x.bytes, x.sha256, x.manifest, x.compression, x.lines, x.records, x.events,
	x.rejected, x.repaired, x.resent, x.cut
FROM main.file AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
