-- The hash of a file. :run :path
SELECT sha256 FROM main.file WHERE run_no = :run AND path = :path
