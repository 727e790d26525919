-- The agent that watches each account, -1 where nobody does. :run_no
SELECT account_no, coalesce(agent_no, -1) FROM main.account WHERE run_no = :run_no ORDER BY account_no;
