-- Who is expected to receive what, a bit for each member. :run
SELECT topic_no, scenario_no, members FROM main.expectation WHERE run_no = :run ORDER BY topic_no, scenario_no
