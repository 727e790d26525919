-- Members of a topic. :run_no, :topic_no
SELECT member_no, account_no FROM main.member WHERE run_no = :run_no AND topic_no = :topic_no ORDER BY member_no;
