-- Was an account not connected at some moment of a time span? :run_no, :account_no, :from, :to (both included)
-- Connected is who has a `ready` without `closed` or `refused` after it. NULL in a run without any `conn` line.
SELECT CASE WHEN r.has_conns THEN
	coalesce((SELECT c.state FROM main.conn AS c
		WHERE c.run_no = :run_no AND c.account_no = :account_no AND c.state <> 'open' AND c.t <= :from
		ORDER BY c.conn_no DESC LIMIT 1) <> 'ready', 1)
	OR EXISTS (SELECT 1 FROM main.conn AS c
		WHERE c.run_no = :run_no AND c.account_no = :account_no AND c.state IN ('closed', 'refused') AND c.t > :from AND c.t <= :to)
	END
FROM main.run AS r
WHERE r.run_no = :run_no;
