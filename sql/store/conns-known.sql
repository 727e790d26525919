-- Has a run any `conn` line? :run_no
SELECT has_conns FROM main.run WHERE run_no = :run_no;
