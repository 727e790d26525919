#!/bin/bash
# Ctrl-C, kill and a closed terminal, in the midst of an ingest and of a report: the store is as before, an output file is old or
# new, never half, and nothing is left beside it.
# shellcheck source=tests/fault/lib.sh
. "${top_srcdir:?}/tests/fault/lib.sh"
need_inject

# end_by SIGNAL: send it to `held` and let it go on; its exit status is in `status`.
end_by()
{
	kill -s "$1" "$held"
	kill -s CONT "$held"
	wait "$held" 2>/dev/null
	status=$?
}

make_load run "${FAULT_DELIVERIES:-20000}" load-1
echo '{"ev":"mark","t":1790000000000000000,"agent":"b","name":"x"}' >run/agents/b/more.jsonl
"$impaudit" ingest -q --store old.db run && "$impaudit" report -q --store old.db >old.md || exit 1
rm run/agents/b/more.jsonl
cp old.db new.db
writes=$(calls_of write "$impaudit" ingest -q --store new.db run)
"$impaudit" report -q --store new.db >new.md || exit 1

for signal in INT TERM HUP; do
	expect=$((128 + $(kill -l "$signal")))
	for call in 1 2 $((writes / 3)) $((writes / 2)) $((writes - 1)); do
		remove_store store.db
		cp old.db store.db
		hold write "$call" "$impaudit" ingest -q --store store.db run
		end_by "$signal"
		is "$status" "$expect" "SIG$signal at write $call of an ingest"
		same_report store.db old.md
		ok $? "SIG$signal at write $call of an ingest: the store is as before"
		"$impaudit" ingest -q --store store.db run && same_report store.db new.md
		ok $? "SIG$signal at write $call of an ingest: the next one completes"
	done
	for point in 'read 30' 'step 40' 'write 1' 'write 2' 'write 3' 'write 4'; do
		echo old >out.md
		# shellcheck disable=SC2086
		hold $point "$impaudit" report -q --store new.db -o out.md
		end_by "$signal"
		is "$status" "$expect" "SIG$signal at $point of a report"
		cmp -s out.md new.md || [ "$(cat out.md)" = old ]
		ok $? "SIG$signal at $point of a report: the file is old or new"
		is "$(ls out.md*)" out.md "SIG$signal at $point of a report: nothing beside"
	done
done
tap_done
