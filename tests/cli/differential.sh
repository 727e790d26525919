#!/bin/bash
# Generated runs, audited by the program and by the reference implementation of the truth model: every figure must be the same.
#   DIFF_SEEDS  FIRST-LAST: the seeds of the runs (default 1-40)
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"
unset IMPAUDIT_STORE
reference=$top_srcdir/tests/reference
seeds=${DIFF_SEEDS:-1-40}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# python FILE ARG...: a program of the reference; nothing is written to the source tree.
python()
{
	python3 -B "$reference/$1" "${@:2}"
}

# check NAME COMMAND...: one check; what the command printed follows when it fails.
check()
{
	local name=$1 status
	shift
	"$@" >"$work/out" 2>&1
	status=$?
	ok "$status" "$name"
	[ "$status" -eq 0 ] || sed 's/^/# /' "$work/out"
}

# Both readings of one run; files of it stay in $work/run.
agrees()
{
	rm -f "$work"/s.db*
	python make_run.py "$1" "$work/run" && "${IMPAUDIT:?}" -q --store "$work/s.db" ingest "$work/run" &&
		"$IMPAUDIT" --store "$work/s.db" report --format json -o "$work/report.json" &&
		python compare.py "$work/run" "$work/report.json"
}

# The comparison itself must see a wrong figure.
sees_difference()
{
	agrees "$1" && sed 's/"acked": \([0-9]*\)/"acked": 1\1/' "$work/report.json" >"$work/wrong.json" || return 1
	! python compare.py "$work/run" "$work/wrong.json"
}

check 'the reference reads damage as worked out by hand' python test_reader.py
check 'the reference judges as worked out by hand' python test_model.py
check 'the comparison sees a wrong figure' sees_difference "${seeds%-*}"
for seed in $(seq "${seeds%-*}" "${seeds#*-}"); do
	check "seed $seed" agrees "$seed"
done

tap_done
