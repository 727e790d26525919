-- A line of a log of a rule's test. :source :t
INSERT INTO main.log_second (run_no, source_no, second, lines, first_t, last_t)
VALUES (1, :source, :t / 1000000000, 1, :t, :t)
ON CONFLICT DO UPDATE SET lines = lines + 1, first_t = min(first_t, :t), last_t = max(last_t, :t)
