-- The failing messages of a run, by number. :run
SELECT x.message_no, x.from_t, x.to_t, m.code
FROM main.failing AS x
LEFT JOIN main.message AS m ON m.run_no = x.run_no AND m.message_no = x.message_no
WHERE x.run_no = :run
ORDER BY x.message_no
