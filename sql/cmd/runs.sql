-- The runs of the store with the figures that tell them apart, the one ingested last at the end.
SELECT r.run_id AS run, r.server,
	(SELECT value FROM main.figure AS f WHERE f.run_no = r.run_no AND f.scope = 'total' AND f.id = '' AND f.name = 'planned') AS planned,
	(SELECT value FROM main.figure AS f WHERE f.run_no = r.run_no AND f.scope = 'total' AND f.id = '' AND f.name = 'acked') AS acked,
	(SELECT value FROM main.figure AS f
		WHERE f.run_no = r.run_no AND f.scope = 'total' AND f.id = '' AND f.name = 'delivery.missing') AS missing,
	(SELECT value FROM main.figure AS f
		WHERE f.run_no = r.run_no AND f.scope = 'total' AND f.id = '' AND f.name = 'classes.durable_lost') AS durable_lost,
	r.dir AS directory
FROM main.run AS r
ORDER BY r.ingest_no, r.run_no;
