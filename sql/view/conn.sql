-- conn: connection life of the accounts.
--
--   account   id
--   conn_no   counted from 0 for each account, by time, then by line
--   t         Unix ns
--   state     open | ready | closed | refused
--   pod       of the server
--   code      as the line says
--   why       as the line says
--   peer      as the line says
--   agent     who watches the account
--   file      path below the results directory
--   line      from 1
CREATE TEMP VIEW IF NOT EXISTS conn AS
SELECT ac.name AS account, x.conn_no, x.t, x.state, x.pod, x.code, x.why, x.peer, a.name AS agent, f.path AS file, x.line
FROM main.conn AS x
LEFT JOIN main.account AS ac ON ac.run_no = x.run_no AND ac.account_no = x.account_no
LEFT JOIN main.agent AS a ON a.run_no = ac.run_no AND a.agent_no = ac.agent_no
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
