#!/bin/sh
# Audit the published runs at full scale and compare every figure; TAP.
#
# IMPAUDIT  path of the binary (default: ./impaudit)
# srcdir    top of the source tree (default: two levels up)
# TMPDIR    where one run at a time is laid out (up to 250 MB)

srcdir=${srcdir:-$(dirname "$0")/../..}
impaudit=${IMPAUDIT:-./impaudit}
make_published=$srcdir/fixtures/make-published
export srcdir
IMPAUDIT=$impaudit
export IMPAUDIT

work=$(mktemp -d "${TMPDIR:-/tmp}/published.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

audit() {
	python3 "$make_published" "$1" "$work/$1" &&
	"$impaudit" ingest -q --store "$work/store.db" "$work/$1" &&
	"$impaudit" report --store "$work/store.db" --format json >"$work/report.json" &&
	python3 "$srcdir/tests/acceptance/compare-published" "$1" "$work/report.json" "$work/store.db"
}

# shellcheck disable=SC2046 # run ids are words
set -- $(python3 "$make_published" --list)
echo "1..$#"
number=0
failed=0
for run in "$@"; do
	number=$((number + 1))
	if audit "$run" >"$work/said" 2>&1; then
		echo "ok $number - $run"
	else
		echo "not ok $number - $run"
		failed=1
	fi
	sed 's/^/# /' "$work/said"
	rm -rf "${work:?}/$run" "$work"/store.db* "$work/report.json"
done
exit "$failed"
