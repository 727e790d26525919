-- The run of this id. ?1 id
SELECT run_no, dir, inputs_sha256, hashed FROM main.run WHERE run_id = ?1
