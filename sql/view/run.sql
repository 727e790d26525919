-- run: the run itself, one line.
--
--   run_id             as run.json says, else the name of the directory
--   dir                absolute path of the results directory
--   has_plan           1: there was a run.json
--   tenant             as run.json says
--   server             im-server | tinode
--   gates              gate profile that run.json asks for
--   shared_host        1: the load generator ran beside the server
--   log_zone           zone of log times that carry none
--   mid_prefix         that every mid of the run begins with
--   build_expected     as run.json says
--   planned_accounts   as run.json says
--   has_topics         1: there was a topics.jsonl
--   has_conns          1: there was a `conn` line
--   hashed             0: files were not hashed
CREATE TEMP VIEW IF NOT EXISTS run AS
SELECT x.run_id, x.dir, x.has_plan, x.tenant, x.server, x.gates, x.shared_host, x.log_zone, x.mid_prefix, x.build_expected,
	x.planned_accounts, x.has_topics, x.has_conns, x.hashed
FROM main.run AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
