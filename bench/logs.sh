#!/usr/bin/env bash
# impaudit ingest and lnav in turn over the same logs, N times: both look for all built-in signatures, and must count the same.
#
#   logs.sh IMPAUDIT DIR [N]     DIR made by `logs.py logs`; or by `logs.py metrics`, and then there is no peer
set -euo pipefail
export LC_ALL=C

if [ $# -lt 2 ] || [ $# -gt 3 ] || [ ! -x "$1" ] || [ ! -f "$2/run.json" ]; then
	echo 'usage: logs.sh IMPAUDIT DIR [N]' >&2
	exit 64
fi
impaudit=$(realpath -- "$1")
dir=$(realpath -- "$2")
runs=${3:-5}
here=$(cd -- "$(dirname -- "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
steps=('ingest' 'ingest --threads 1')
if [ -d "$dir/logs" ]; then
	what=logs
	steps+=('lnav')
	mkdir -p "$tmp/lnav/formats/impaudit"
	cp "$here/peers/lnav.json" "$tmp/lnav/formats/impaudit/"
	python3 "$here/logs.py" sql "$here/../rules" >"$tmp/query"
else
	what=metrics
fi

step() {
	case $1 in
	ingest*)
		rm -f "$tmp/store.db"*
		# shellcheck disable=SC2086 # options, split on purpose
		set -- "$impaudit" -q $1 --store "$tmp/store.db" "$dir"
		;;
	lnav) set -- env HOME="$tmp" lnav -I "$tmp/lnav" -n -c "$(cat "$tmp/query")" -c ':write-json-to -' "$dir"/logs/*.log ;;
	esac
	/usr/bin/time -a -o "$tmp/${name// /_}.times" -f '%e %U %S %M' "$@"
}

for ((i = 0; i < runs; i++)); do
	for name in "${steps[@]}"; do
		step "$name" >"$tmp/${name// /_}.out"
	done
done

bytes=$(cat "$dir/$what"/* | wc -c)
base=
printf '%-20s %8s %17s %8s %8s %8s %s\n' step 'wall s' '[min-max]' 'cpu s' 'RSS MB' 'MB/s' 'x ingest'
for name in "${steps[@]}"; do
	sort -n "$tmp/${name// /_}.times" >"$tmp/sorted"
	[ -n "$base" ] || base=$(awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }' "$tmp/sorted")
	awk -v name="$name" -v bytes="$bytes" -v base="$base" '
		{ wall[NR] = $1; cpu[NR] = $2 + $3; if ($4 > rss) rss = $4 }
		END {
			m = int((NR + 1) / 2)
			printf "%-20s %8.2f %17s %8.2f %8.1f %8.0f %.1f\n", name, wall[m], "[" wall[1] "-" wall[NR] "]", cpu[m],
				rss / 1024, bytes / 1e6 / wall[m], wall[m] / base
		}' "$tmp/sorted"
done

[ "$what" = logs ] || exit 0
"$impaudit" sql --store "$tmp/store.db" --format csv 'SELECT signature, sum(n) FROM log_hit GROUP BY signature ORDER BY signature' |
	tr -d '"\r' | sed 1d >"$tmp/ours"
sed -nE 's/^ +"(log\.[^"]*)": ([1-9][0-9]*),?$/\1,\2/p' "$tmp/lnav.out" | sort >"$tmp/theirs"
if ! diff "$tmp/ours" "$tmp/theirs"; then
	echo 'logs.sh: the counts differ (<: impaudit, >: lnav)'
	exit 1
fi
echo "the same counts of $(wc -l <"$tmp/ours") signatures"
