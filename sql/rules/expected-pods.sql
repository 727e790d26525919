-- Pods that the selected run should have.
SELECT pod FROM temp.expected_pod ORDER BY pod
