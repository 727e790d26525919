#!/bin/bash
# kill -9 at random points of an ingest of 400,000 deliveries, into a new store and over an older state of the run: what was there
# before is still there, the next ingest completes, and its report is that of a clean run, byte for byte.
#
# FAULT_POINTS  how many (default 36; a third by the clock, the rest before or in the midst of a write)
# FAULT_SEED    where they lie (default: another place every time; it is printed)
# shellcheck source=tests/fault/lib.sh
. "${top_srcdir:?}/tests/fault/lib.sh"
need_inject

points=${FAULT_POINTS:-36}
seed=${FAULT_SEED:-$((SRANDOM % 100000))}
RANDOM=$seed
echo "# seed $seed: FAULT_SEED=$seed repeats the points"

random_below()
{
	echo $(((RANDOM << 15 | RANDOM) % $1))
}

ingest()
{
	"$impaudit" ingest -q --store "$1" run
}

# The older state: a file more.
make_load run "${FAULT_DELIVERIES:-400000}" load-1
echo '{"ev":"mark","t":1790000000000000000,"agent":"b","name":"x"}' >run/agents/b/more.jsonl
ingest old.db && "$impaudit" report -q --store old.db >old.md || exit 1
rm run/agents/b/more.jsonl
cp old.db clean-old.db
start=$EPOCHREALTIME
ingest clean-new.db || exit 1
took_ms=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000 + 1))
ingest clean-old.db || exit 1
"$impaudit" report -q --store clean-new.db >clean-new.md && "$impaudit" report -q --store clean-old.db >clean-old.md || exit 1
writes_new=$(calls_of write "$impaudit" ingest -q --store count.db run)
cp old.db count-old.db
writes_old=$(calls_of write "$impaudit" ingest -q --store count-old.db run)
echo "# a clean ingest takes $took_ms ms and $writes_new writes, $writes_old over the older state"

# kill_at_time STORE: somewhere between start and end.
kill_at_time()
{
	local pid ms
	ms=$(random_below "$took_ms")
	"$impaudit" ingest -q --store "$1" run &
	pid=$!
	how="after $ms ms"
	sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
	kill -9 "$pid"
	wait "$pid"
	[ $? -eq 137 ]
}

# kill_at_write STORE WRITES WHAT
kill_at_write()
{
	local at
	at=$(($(random_below "$2") + 1))
	how="$3 at write $at"
	with_fault write "$at" "$3" 0 "$impaudit" ingest -q --store "$1" run
	[ $? -eq 137 ]
}

# one_point NUMBER
one_point()
{
	local state=new writes=$writes_new hot=''
	remove_store store.db
	if [ $(($1 / 3 % 2)) -eq 1 ]; then
		state=old writes=$writes_old
		cp old.db store.db
	fi
	until
		case $(($1 % 3)) in
		0) kill_at_time store.db ;;
		1) kill_at_write store.db "$writes" kill ;;
		2) kill_at_write store.db "$writes" torn ;;
		esac
	do
		remove_store store.db # it was done before: once more
		[ "$state" = new ] || cp old.db store.db
	done 2>/dev/null
	if is_hot store.db; then
		hot=', inside the transaction'
		hot_points=$((hot_points + 1))
	fi
	[ "$state" = new ] || same_report store.db old.md || same_report store.db clean-old.md
	ok $? "$state store, $how$hot: the state before"
	ingest store.db && same_report store.db "clean-$state.md"
	ok $? "$state store, $how$hot: the next ingest and its report"
}

hot_points=0
for ((i = 0; i < points; i++)); do
	one_point "$i"
done
ok $((hot_points < points / 3)) "$hot_points of $points points were inside the transaction"
tap_done
