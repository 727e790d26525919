-- presence: when an account was READY, and on which pod; one line for each `ready`.
--
--   account   id
--   from_t    its `ready`, Unix ns
--   to_t      the next line of the account, Unix ns; NULL: READY to the end of the ledger
--   pod       of the server
--   ended     what that line says: closed | refused | open | ready; NULL with to_t
--   why       of the line that ended it
--   code      of the line that ended it
--   peer      of the line that ended it, else of the `ready`
--   agent     who watches the account
--   file      of the line that ended it, else of the `ready`
--   line      from 1
CREATE TEMP VIEW IF NOT EXISTS presence AS
SELECT ac.name AS account, x.from_t, x.to_t, x.pod, x.ended, x.why, x.code, x.peer, a.name AS agent, f.path AS file, x.line
FROM main.presence AS x
LEFT JOIN main.account AS ac ON ac.run_no = x.run_no AND ac.account_no = x.account_no
LEFT JOIN main.agent AS a ON a.run_no = ac.run_no AND a.agent_no = ac.agent_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
