-- What the logs of the selected run can say of its load: how many pods should have one and have none that covers it, and the first of these.
SELECT pods - covering, coalesce(open, '') FROM temp.log_coverage
