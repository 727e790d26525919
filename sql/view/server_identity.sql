-- server_identity: servers that answered a collector, as they say themselves, each time that one was asked.
--
--   server_no   counted from 0
--   t           Unix ns
--   phase       as in collected
--   system      as in collected
--   source      as in collected
--   address     host:port, socket or URL
--   version     of the server
--   id          server_uuid, cluster id, run_id, ...; NULL: it has none
--   role        primary, replica, controller, ...; NULL: not said
--   other       1: another id than the one that answered for this instance before
--   lags        1: rows or dead letters were looked for in a replica, which may be behind
--   file        path below the results directory
--   line        from 1
CREATE TEMP VIEW IF NOT EXISTS server_identity AS
SELECT x.server_no, x.t, x.phase, x.system, x.source, x.address, x.version, x.id, x.role,
	coalesce(x.id <> lag(x.id) OVER (PARTITION BY x.system, x.source ORDER BY x.id IS NULL, x.t, x.server_no), 0) AS other,
	x.system = 'mysql' AND coalesce(x.role = 'replica', 0) AND coalesce(x.phase IN ('final', 'recheck'), 1) AS lags, f.path AS file, x.line
FROM main.server_identity AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
