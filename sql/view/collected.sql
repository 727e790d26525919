-- collected: requests of a collector, and what became of each.
--
--   request_no   counted from 0
--   t            when it was asked, Unix ns
--   phase        baseline | load | drain | final | recheck; NULL: not said
--   system       mysql | kafka | redis | prometheus | kubernetes
--   source       instance, as the configuration names it
--   what         rows of messages, lag of group g, pods, ...
--   query        statement, command or path, without secrets
--   target       file that holds the answer, below the results directory; NULL: none
--   status       ok | limited | denied | unreachable | timeout | refused | failed
--   why          of what is not ok
--   ns           how long it took, tries included
--   n            rows, objects, lines, samples; NULL: not counted
--   tries        how often it was asked
--   file         path below the results directory
--   line         from 1
CREATE TEMP VIEW IF NOT EXISTS collected AS
SELECT x.request_no, x.t, x.phase, x.system, x.source, x.what, x.query, x.target, x.status, x.why, x.ns, x.n, x.tries, f.path AS file, x.line
FROM main.collected AS x
LEFT JOIN main.file AS f ON f.run_no = x.run_no AND f.file_no = x.file_no
WHERE x.run_no = (SELECT run_no FROM temp.current_run);
