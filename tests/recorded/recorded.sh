#!/bin/sh
# The recorded runs, audited and compared with figures that were counted by hand (TAP on stdout).
#   IMPAUDIT  the program under test (default ./impaudit)
#   srcdir    top of the source tree (default: two levels above this script)
# shellcheck disable=SC2317  # the functions are called through check
set -u

IMPAUDIT=${IMPAUDIT:-./impaudit}
srcdir=${srcdir:-$(dirname "$0")/../..}
here=$srcdir/tests/recorded
runs='tinode-p2p tinode-403 tinode-killed tinode-overload'

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

count=0
failed=0

# check NAME COMMAND...: one TAP line; what the command printed follows as diagnostics when it failed.
check() {
	name=$1
	shift
	count=$((count + 1))
	if "$@" >"$work/out" 2>&1; then
		echo "ok $count - $name"
	else
		failed=1
		echo "not ok $count - $name"
		sed 's/^/# /' "$work/out"
	fi
}

hashes_hold() {
	(cd "$1" && sha256sum --check --quiet manifest.sha256)
}

report() {
	"$IMPAUDIT" report --store "$1" --format json -o "$2"
}

# hits RUN STORE: the lines that signatures found, as counted in log-hits.txt.
hits() {
	listed=$(sed -n "s/^[^ #]* \\(log[^ ]*\\) .*/'\\1'/p" "$here/log-hits.txt" | sort -u | paste -sd,)
	sed -n "s/^$1 //p" "$here/log-hits.txt" | sort >"$work/want"
	"$IMPAUDIT" sql --store "$2" --format csv "SELECT signature || ' ' || pod || ' ' || sum(n) FROM log_hit
		WHERE signature IN ($listed) GROUP BY signature, pod" | sed 1d | tr -d '"\r' | sort >"$work/got"
	diff "$work/want" "$work/got"
}

# The comparison itself must see a wrong figure, a missing key and a figure nobody expected.
differs() {
	sed "$2" "$1" >"$work/changed.json"
	"$here/compare" "$1" "$work/changed.json"
	test $? -eq 1
}

echo 1..29

sample=$here/tinode-killed.json
check 'compare: equal to itself' "$here/compare" "$sample" "$sample"
check 'compare: a changed count' differs "$sample" 's/"missing": 1801/"missing": 1800/'
check 'compare: a changed latency' differs "$sample" 's/"p95": 3.112874/"p95": 3.112876/'
check 'compare: a missing key' differs "$sample" 's/"late_ack"/"early_ack"/'
check 'compare: a code nobody counted' differs "$sample" 's/{"202": 3321}/{"202": 3321, "503": 1}/'
check 'compare: a cause explains another count' differs "$sample" 's/"explains": 1365/"explains": 1364/'
check 'compare: causes in another order' differs "$sample" 's/"pod.gone"/"x"/; s/"ack.false_accept"/"pod.gone"/; s/"x"/"ack.false_accept"/'
check 'compare: a cause too many' differs "$sample" 's/"permission.stale", "result": "refuted"/"permission.stale", "result": "probable"/'
check 'compare: a concentration missing' differs "$sample" 's/"sender_pod"/"receiver_pod"/'

for run in $runs; do
	dir=$srcdir/fixtures/recorded/$run
	store=$work/$run.db
	check "$run: fixture as recorded" hashes_hold "$dir"
	check "$run: ingest" "$IMPAUDIT" ingest --store "$store" "$dir"
	check "$run: report" report "$store" "$work/$run.json"
	check "$run: figures" "$here/compare" "$here/$run.json" "$work/$run.json"
	check "$run: lines of logs" hits "$run" "$store"
done

exit $failed
