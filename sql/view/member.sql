-- member: members of the topics.
--
--   topic       name
--   member_no   place in topics.jsonl, from 0
--   account     id
CREATE TEMP VIEW IF NOT EXISTS member AS
SELECT tp.name AS topic, x.member_no, ac.name AS account
FROM main.member AS x
LEFT JOIN main.topic AS tp ON tp.run_no = x.run_no AND tp.topic_no = x.topic_no
LEFT JOIN main.account AS ac ON ac.run_no = x.run_no AND ac.account_no = x.account_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
