-- Take a run out, with everything that refers to it. ?1 run
DELETE FROM main.run WHERE run_no = ?1
