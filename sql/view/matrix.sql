-- matrix: messages by outcome, observed and persisted; no zero lines.
--
--   scope       total | scenario | agent
--   id          of the scenario or agent; '' in total
--   outcome     as in message
--   observed    as in message
--   persisted   as in message
--   count       messages
CREATE TEMP VIEW IF NOT EXISTS matrix AS
SELECT x.scope, x.id, x.outcome, x.observed, x.persisted, x.count
FROM main.matrix AS x
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
