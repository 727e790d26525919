-- Show another run. :run_no
INSERT INTO temp.current_run (only, run_no) VALUES (1, :run_no)
ON CONFLICT DO UPDATE SET run_no = excluded.run_no;
