-- One more line that matches in the same second. :signature :source :t :subject
UPDATE main.log_hit
SET n = n + 1, last_t = max(last_t, :t)
WHERE run_no = 1 AND signature = :signature AND source_no = :source AND second IS :t / 1000000000 AND subject IS :subject
