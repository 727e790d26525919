-- mark: moments of the run.
--
--   name     load_start, load_end, drain_end, ...
--   t        Unix ns
--   source   timeline | mark | derived
CREATE TEMP VIEW IF NOT EXISTS mark AS
SELECT x.name, x.t, x.source
FROM main.mark AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
