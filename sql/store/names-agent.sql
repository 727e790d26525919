-- Names of the agents of a run, by number. :run_no
SELECT agent_no, name FROM main.agent WHERE run_no = :run_no ORDER BY agent_no;
