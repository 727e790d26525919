-- log_signature: the signatures that were looked for when the logs were read. One that is not here was not looked for.
--
--   id   of the rule
CREATE TEMP VIEW IF NOT EXISTS log_signature AS
SELECT x.id
FROM main.log_signature AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
