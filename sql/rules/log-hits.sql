-- Lines that match a signature, in the order of time, those without a time last. :run :signature
SELECT h.second, h.n, h.first_t, h.text, f.path, f.sha256, h.line
FROM main.log_hit AS h
LEFT JOIN main.file AS f ON f.run_no = h.run_no AND f.file_no = h.file_no
WHERE h.run_no = :run AND h.signature = :signature
ORDER BY h.first_t IS NULL, h.first_t, h.hit_no
