-- Names of the scenarios of a run, by number. :run_no
SELECT scenario_no, id FROM main.scenario WHERE run_no = :run_no ORDER BY scenario_no;
