-- Where a message's last answer with a code stands. :run, :message, :code
SELECT f.path, a.line, a.t
FROM main.answer AS a
JOIN main.file AS f ON f.run_no = a.run_no AND f.file_no = a.file_no
WHERE a.run_no = :run AND a.message_no = :message AND a.code = :code
ORDER BY a.answer_no DESC
LIMIT 1
