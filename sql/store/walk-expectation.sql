-- Who is expected to receive a scenario's messages on a topic. :run_no, :topic_no, :scenario_no
SELECT members FROM main.expectation WHERE run_no = :run_no AND topic_no = :topic_no AND scenario_no = :scenario_no;
