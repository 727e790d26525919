-- Names of the topics of a run, by number. :run_no
SELECT topic_no, name FROM main.topic WHERE run_no = :run_no ORDER BY topic_no;
