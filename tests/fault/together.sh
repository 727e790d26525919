#!/bin/bash
# Several processes at one store: ingests take turns, a reader sees one state of it, and who may not wait any longer says so with
# exit 75. Nobody ever gets a wrong answer.
# shellcheck source=tests/fault/lib.sh
. "${top_srcdir:?}/tests/fault/lib.sh"
need_inject

TEMPFAIL=75

ingest()
{
	"$impaudit" ingest -q --store "$@"
}

# release: let it end; its exit status.
release()
{
	kill -s CONT "$held"
	wait "$held"
}

deliveries=${FAULT_DELIVERIES:-40000}
make_load one "$deliveries" load-1
make_load two "$deliveries" load-2
ingest one.db one && "$impaudit" report -q --store one.db >one.md || exit 1
ingest two.db two && "$impaudit" report -q --store two.db >two.md || exit 1

# Two ingests at once.
for round in 1 2 3; do
	remove_store store.db
	ingest store.db one &
	first=$!
	ingest store.db one &
	second=$!
	wait "$first"
	ok $? "round $round, the same run twice: the one"
	wait "$second"
	ok $? "round $round, the same run twice: the other"
	same_report store.db one.md
	ok $? "round $round, the same run twice: its report"
	is "$("$impaudit" sql --store store.db --format csv 'SELECT count(*) FROM main.run' | tail -n 1)" 1 "round $round: one run"

	remove_store store.db
	ingest store.db one &
	first=$!
	ingest store.db two &
	second=$!
	wait "$first"
	ok $? "round $round, two runs: the one"
	wait "$second"
	ok $? "round $round, two runs: the other"
	same_report store.db one.md load-1 && same_report store.db two.md load-2
	ok $? "round $round, two runs: both reports"
done

# A writer stands still in the midst of its transaction.
cp one.db before.db
writes=$(cp before.db count.db && calls_of write "$impaudit" ingest -q --store count.db two)
for call in 2 $((writes / 4)) $((writes / 2)) $((writes * 3 / 4)) $((writes - 1)); do
	remove_store store.db
	cp before.db store.db
	hold write "$call" "$impaudit" ingest -q --store store.db two
	ok $? "writer held at write $call of $writes"
	"$impaudit" ingest -q --wait 0 --store store.db one 2>said
	complains $? "$TEMPFAIL" "'store.db' is in use" "write $call: an ingest does not wait"
	"$impaudit" ingest -q --wait 1 --store store.db one 2>said
	complains $? "$TEMPFAIL" "'store.db' is in use" "write $call: an ingest waits a second"
	"$impaudit" report -q --wait 1 --store store.db >out 2>said
	status=$?
	if [ "$status" -eq 0 ]; then
		cmp -s out one.md
		ok $? "write $call: a reader sees the state before"
	else
		complains "$status" "$TEMPFAIL" "'store.db' is in use" "write $call: a reader waits a second"
		is "$(cat out)" '' "write $call: and prints nothing"
	fi
	"$impaudit" report -q --run load-1 --store store.db >out 2>said &
	reader=$!
	"$impaudit" ingest -q --store store.db one 2>said.ingest &
	writer=$!
	sleep 0.2
	release
	ok $? "write $call: the writer completes"
	wait "$reader" && cmp -s out one.md
	ok $? "write $call: a reader that waits gets its answer"
	wait "$writer"
	ok $? "write $call: an ingest that waits completes"
	same_report store.db two.md load-2 && same_report store.db one.md load-1
	ok $? "write $call: both reports"
done

# A reader stands still in the midst of its answer.
steps=$(calls_of step "$impaudit" report -q --store one.db -o count.md)
for call in $((steps / 2)) $((steps - 1)); do
	remove_store store.db
	cp before.db store.db
	hold step "$call" "$impaudit" report -q --store store.db
	ok $? "reader held at step $call of $steps"
	"$impaudit" ingest -q --wait 1 --store store.db two 2>said
	complains $? "$TEMPFAIL" "'store.db' is in use" "step $call: an ingest waits a second"
	same_report store.db one.md
	ok $? "step $call: the store is as before"
	"$impaudit" ingest -q --store store.db two 2>said &
	writer=$!
	sleep 0.2
	release && cmp -s held.out one.md
	ok $? "step $call: the reader's answer is that of the state before"
	wait "$writer" && same_report store.db two.md
	ok $? "step $call: the ingest that waited completes"
done

# Readers all the time while a run changes back and forth.
more=one/agents/b/more.jsonl
mark='{"ev":"mark","t":1790000000000000000,"agent":"b","name":"x"}'
remove_store store.db
ingest store.db one && echo "$mark" >"$more" && ingest store.db one && "$impaudit" report -q --store store.db >state-1.md || exit 1
rm "$more"
ingest store.db one && "$impaudit" report -q --store store.db >state-2.md || exit 1
(
	for _ in 1 2 3 4 5; do
		echo "$mark" >"$more"
		ingest store.db one || echo failed
		rm "$more"
		ingest store.db one || echo failed
	done
	touch finished
) >writer.out 2>&1 &
answers=0 wrong=0
until [ -e finished ]; do
	"$impaudit" report -q --store store.db >out 2>said
	status=$?
	answers=$((answers + 1))
	[ "$status" -eq 0 ] && { cmp -s out state-1.md || cmp -s out state-2.md; } && continue
	wrong=$((wrong + 1))
	sed "s/^/# exit $status: /" said
done
wait
is "$(cat writer.out)" '' 'ten ingests beside a reader'
is "$wrong" 0 "$answers reports beside a writer, each of one state"
tap_done
