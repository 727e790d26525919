-- account: accounts that are listed or seen.
--
--   account               id
--   user                  the server's name for it
--   agent                 who watches it; NULL: nobody
--   listed                1: stands in accounts.jsonl
--   ready                 1: READY at load_start; NULL: not evaluated
--   disconnects_in_load   changes from connected to not connected; NULL: not evaluated
CREATE TEMP VIEW IF NOT EXISTS account AS
SELECT x.name AS account, x.user, a.name AS agent, x.listed, x.ready, x.disconnects_in_load
FROM main.account AS x
LEFT JOIN main.agent AS a ON a.run_no = x.run_no AND a.agent_no = x.agent_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
