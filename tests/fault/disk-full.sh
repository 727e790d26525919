#!/bin/bash
# A file system without room, or one that may not be written: the store, -o FILE and standard output on a small tmpfs, mounted in a
# mount namespace of our own. Every command ends with a message that names the file; with room again all is as on a clean disk.
set -u
if [ -z "${FAULT_NAMESPACE:-}" ]; then
	for namespace in 'unshare -m' 'unshare -r -m'; do
		# shellcheck disable=SC2086
		if $namespace mount -t tmpfs none /mnt 2>/dev/null; then
			FAULT_NAMESPACE=1 exec $namespace "$BASH" "$0"
		fi
	done
	echo '1..0 # SKIP no mount namespace of our own is allowed here'
	exit 0
fi
# shellcheck source=tests/fault/lib.sh
. "${top_srcdir:?}/tests/fault/lib.sh"

CANTCREAT=73 IOERR=74 NOINPUT=66

# disk OPTIONS: a new one at disk/.
disk()
{
	umount disk 2>/dev/null
	mkdir -p disk
	mount -t tmpfs -o "$1" none disk || exit 1
}

# fill: not a byte is left.
fill()
{
	dd if=/dev/zero of=disk/filler bs=4k status=none 2>/dev/null
}

ingest()
{
	"$impaudit" ingest -q --store "$1" run 2>said
}

# fails STATUS: 73 or 74.
fails()
{
	[ "$1" -eq "$CANTCREAT" ] && echo "$CANTCREAT" || echo "$IOERR"
}

make_load run "${FAULT_DELIVERIES:-100000}" load-1
echo '{"ev":"mark","t":1790000000000000000,"agent":"b","name":"x"}' >run/agents/b/more.jsonl
ingest old.db && "$impaudit" report -q --store old.db >old.md || exit 1
rm run/agents/b/more.jsonl
cp old.db again.db
ingest new.db && "$impaudit" report -q --store new.db >new.md || exit 1
ingest again.db && "$impaudit" report -q --store again.db >again.md || exit 1
store_kb=$(($(stat -c %s new.db) / 1024)) old_kb=$(($(stat -c %s old.db) / 1024))

# A new store: from a disk that does not even take an empty one to one that takes nearly all.
for kb in 4 32 128 $((store_kb / 2)) $((store_kb * 9 / 10)); do
	disk "size=${kb}k"
	ingest disk/store.db
	status=$?
	complains "$status" "$(fails "$status")" "'disk/store.db'" "new store on $kb KB"
	"$impaudit" report -q --store disk/store.db >out 2>said
	status=$?
	ok $((status != NOINPUT && status != 65)) "new store on $kb KB: no report of half a run (exit $status)"
	mount -o remount,size=64m disk
	ingest disk/store.db && same_report disk/store.db new.md
	ok $? "new store on $kb KB: with room again it is complete"
done

# Over an older state, which stays.
for kb in $((old_kb + 8)) $((old_kb + old_kb / 4)) $((old_kb + old_kb / 2)); do
	disk "size=${kb}k"
	cp old.db disk/store.db
	ingest disk/store.db
	status=$?
	complains "$status" "$(fails "$status")" "'disk/store.db'" "older state on $kb KB"
	same_report disk/store.db old.md
	ok $? "older state on $kb KB: it is as before"
	mount -o remount,size=64m disk
	ingest disk/store.db && same_report disk/store.db again.md
	ok $? "older state on $kb KB: with room again it is complete"
done

# Output.
disk size=64k
fill
"$impaudit" report --store new.db -o disk/new.md 2>said
status=$?
complains "$status" "$(fails "$status")" "'disk/new.md'" '-o on a full disk'
is "$(ls disk)" filler '-o on a full disk: nothing is left'
echo old >old-output
disk size=8k
cp old-output disk/report.md
fill
"$impaudit" report --store new.db -o disk/report.md 2>said
complains $? "$IOERR" "disk/report.md'" '-o over a file on a full disk'
cmp -s disk/report.md old-output
ok $? '-o over a file on a full disk: it is as before'
is "$(ls disk)" "$(printf 'filler\nreport.md')" '-o over a file on a full disk: nothing beside'
for command in report 'report --format json' gate runs "sql 'SELECT mid FROM message'" 'explain lt-1' --help; do
	eval "$impaudit --store new.db $command" >/dev/full 2>said
	complains $? "$IOERR" 'standard output' "$command to a full disk"
done

# Nothing may be written.
disk size=64m
cp old.db disk/store.db
cp -r run disk/run
mount -o remount,ro disk
"$impaudit" report --store new.db -o disk/new.md 2>said
complains $? "$CANTCREAT" "'disk/new.md'" '-o on a read-only disk'
ingest disk/store.db
complains $? "$CANTCREAT" "'disk/store.db'" 'ingest into a store on a read-only disk'
ingest disk/new.db
complains $? "$CANTCREAT" "'disk/new.db'" 'ingest into a new store on a read-only disk'
same_report disk/store.db old.md
ok $? 'a store on a read-only disk is read'
"$impaudit" audit disk/run >out 2>said
complains $? "$CANTCREAT" "'disk/run/impaudit.db'" 'audit of a run on a read-only disk'
"$impaudit" --store audit.db audit disk/run >out 2>said
complains $? "$CANTCREAT" "'report.md'" 'audit with its store elsewhere'
umount disk
tap_done
