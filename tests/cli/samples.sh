#!/bin/bash
# The samples in reports/ are what the program makes of the recorded run, byte for byte, wherever the run lies.
#   --update   write them anew instead of comparing
set -u
top_srcdir=${top_srcdir:-$(dirname "$0")/../..}
# shellcheck source=tests/lib/tap.sh
. "$top_srcdir/tests/lib/tap.sh"
unset IMPAUDIT_STORE

run=tinode-killed
samples=$top_srcdir/reports
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -R "$top_srcdir/fixtures/recorded/$run" "$work/$run"
chmod -R u+w "$work/$run"
(cd "$work" && "${IMPAUDIT:?}" audit -q "$run" >"$run.gate.txt")
is "$?" 1 'the verdict is FAIL'
cp "$work/$run/report.md" "$work/$run.md"
cp "$work/$run/report.json" "$work/$run.json"

for name in "$run.md" "$run.json" "$run.gate.txt"; do
	grep -Fq -e "$work" "$work/$name"
	is "$?" 1 "$name: does not say where the run lies"
	if [ "${1-}" = --update ]; then
		cp "$work/$name" "$samples/$name"
	fi
	diff "$samples/$name" "$work/$name" >"$work/difference"
	ok "$?" "$name"
	head -n 20 "$work/difference" | sed 's/^/# /'
done
tap_done
