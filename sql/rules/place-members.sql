-- Members of all topics. :run
SELECT topic_no, member_no, account_no FROM main.member WHERE run_no = :run ORDER BY topic_no, member_no
