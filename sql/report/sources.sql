-- Streams of evidence that are no ledgers, and what each can testify to: of the selected run.
SELECT kind, name, pod, container, format, first_t, last_t, samples, gaps, longest_gap_ns, cut, sampled, limited, damaged, resent, zone,
	zone_offset_ns, note, file, covers_load
FROM source
ORDER BY kind, name, source_no;
