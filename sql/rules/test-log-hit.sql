-- A line of a log of a rule's test that matches. :signature :source :t :subject :text :file :line
INSERT INTO main.log_hit (run_no, hit_no, signature, source_no, second, subject, n, first_t, last_t, text, file_no, line)
SELECT 1, count(*), :signature, :source, :t / 1000000000, :subject, 1, :t, :t, :text, :file, :line
FROM main.log_hit
