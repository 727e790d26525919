-- What decides which rules apply to a run. :run
SELECT server, gates,
	EXISTS (SELECT 1 FROM main.scenario WHERE run_no = :run AND kind = 'p2p' AND warmup = 0),
	EXISTS (SELECT 1 FROM main.scenario WHERE run_no = :run AND kind = 'group' AND warmup = 0),
	EXISTS (SELECT 1 FROM main.finding WHERE run_no = :run AND id = 'ledger.lines_lost')
FROM main.run
WHERE run_no = :run
