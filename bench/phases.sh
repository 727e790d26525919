#!/usr/bin/env bash
# Where the auditor's time goes on one results directory: every step N times, the steps in turn; medians of wall and CPU seconds,
# the largest memory, and what the store takes for a delivery.
#
#   phases.sh IMPAUDIT DIR [N]
set -euo pipefail
export LC_ALL=C

if [ $# -lt 2 ] || [ $# -gt 3 ] || [ ! -x "$1" ] || [ ! -d "$2" ]; then
	echo 'usage: phases.sh IMPAUDIT DIR [N]' >&2
	exit 64
fi
impaudit=$(realpath -- "$1")
dir=$(realpath -- "$2")
runs=${3:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
store=$tmp/store.db

steps=('ingest' 'ingest --threads 1' 'ingest --no-hash' 'ingest again' 'report json' 'report md' 'gate' 'sha256')

step() {
	case $1 in
	'ingest again') set -- "$impaudit" -q ingest --store "$store" "$dir" ;;
	ingest*)
		rm -f "$store"*
		# shellcheck disable=SC2086 # options, split on purpose
		set -- "$impaudit" -q $1 --store "$store" "$dir"
		;;
	report*) set -- "$impaudit" -q report --store "$store" --format "${1#report }" -o "$tmp/report" ;;
	gate) set -- "$impaudit" -q gate --store "$store" ;;
	sha256) set -- openssl dgst -sha256 "$dir"/agents/*/* ;;
	esac
	/usr/bin/time -a -o "$tmp/${name// /_}" -f '%e %U %S %M' "$@" >/dev/null || [ $? -le 3 ]
}

for ((i = 0; i < runs; i++)); do
	for name in "${steps[@]}"; do
		# what comes behind an ingest looks at the store of the default one
		[ "$name" = 'ingest again' ] && { rm -f "$store"*; "$impaudit" -q ingest --store "$store" "$dir"; }
		step "$name"
	done
done

printf '%-20s %8s %17s %8s %8s\n' step 'wall s' '[min-max]' 'cpu s' 'RSS MB'
for name in "${steps[@]}"; do
	grep -v '^Command' "$tmp/${name// /_}" | sort -n | awk -v name="$name" '
		{ wall[NR] = $1; cpu[NR] = $2 + $3; if ($4 > rss) rss = $4 }
		END {
			m = int((NR + 1) / 2)
			printf "%-20s %8.3f %17s %8.3f %8.1f\n", name, wall[m], "[" wall[1] "-" wall[NR] "]", cpu[m], rss / 1024
		}'
done
deliveries=$("$impaudit" sql --store "$store" --format csv 'SELECT count(*) FROM delivery' | tail -n 1)
bytes=$(stat -c %s "$store")
awk -v b="$bytes" -v n="$deliveries" 'BEGIN { printf "store: %d bytes, %d deliveries, %.2f bytes a delivery\n", b, n, b / n }'
