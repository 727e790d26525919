-- Messages that were missing at an earlier look-up and are stored now, those that were found last first, at most :limit of them: of the selected run. :limit
SELECT r.mid, r.topic, m.persisted, r.how, r.letter, r.changed, r.since_t, r.missed_check, r.missed_t, r.missed_file, r.missed_line,
	r."check", r.found_t, r.from_t, r.to_t, r.least_ns, r.most_ns, r.letter_file, r.letter_line, r.changed_file, r.changed_line, r.file, r.line
FROM repaired AS r
JOIN message AS m ON m.message_no = r.message_no
ORDER BY r."check" DESC, r.message_no
LIMIT :limit;
