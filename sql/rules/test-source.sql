-- A source of a rule's test; again: it covers more. :source :kind :name :pod :first :last :cut :file
INSERT INTO main.source (run_no, source_no, kind, name, pod, first_t, last_t, samples, gaps, cut, sampled, limited, damaged, resent,
	zone, file_no)
VALUES (1, :source, :kind, :name, :pod, :first, :last, 1, 0, :cut, 0, 0, 0, 0, 'own', :file)
ON CONFLICT DO UPDATE SET first_t = min(first_t, excluded.first_t), last_t = max(last_t, excluded.last_t)
