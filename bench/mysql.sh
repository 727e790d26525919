#!/usr/bin/env bash
# impaudit collect beside a table of 100 M messages, in a MariaDB of its own that listens on a socket alone.
#
#	mysql.sh build            make the table, once: 23 GB, and 10 GB more while its indexes are built
#	mysql.sh IMPAUDIT [N]     the rows of a run of 20,000 messages by every way to them, cold and warm; then 1 M rows beside the
#	                          client mariadb; each N times (default 3)
#
# Cold is a server that was just started, with none of its files in the page cache.
#
#	BENCH_DIR   where server and table are (default ~/.cache/impaudit-bench/mysql)
#	ROWS        of the table when it is built, in millions: 5, 10, 15 ... (default 100)
#	BUFFER      of the server for rows and indexes (default 1G)
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

here=$(cd -- "$(dirname -- "$0")" && pwd)
dir=${BENCH_DIR:-$HOME/.cache/impaudit-bench/mysql}
socket=$dir/s.sock
server=

start() { # OPTION...
	local owner=()
	[ "$(id -u)" -ne 0 ] || owner=(--user=mysql)
	mariadbd --no-defaults "${owner[@]}" --datadir="$dir/data" --tmpdir="$dir/data" --socket="$socket" --pid-file="$dir/m.pid" \
		--skip-networking --default-time-zone=+00:00 --character-set-server=utf8mb4 --innodb-log-file-size=2G \
		--innodb-buffer-pool-dump-at-shutdown=OFF --innodb-buffer-pool-load-at-startup=OFF "$@" >>"$dir/log" 2>&1 &
	server=$!
	until mariadb-admin --no-defaults -S "$socket" -u root ping >/dev/null 2>&1; do
		kill -0 $server || { tail "$dir/log" >&2; exit 70; }
		sleep 0.1
	done
}

stop() {
	[ -n "$server" ] || return 0
	kill "$server"
	wait "$server" || true
	server=
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

table_sql() {
	mariadb --no-defaults -S "$socket" -u root -N -B -D bench "${@:1:$# - 1}" -e "${!#}"
}
# shellcheck source=bench/mysql/lib.sh
. "$here/mysql/lib.sh"

build() {
	local owner=() rows=$((${ROWS:-100} * 1000000))
	[ ! -f "$dir/rows" ] || { echo "mysql.sh: $dir has its table"; return; }
	[ $((rows % 5000000)) -eq 0 ] || { echo 'mysql.sh: ROWS is 5, 10, 15, ...' >&2; exit 64; }
	mkdir -p "$dir"
	rm -rf "$dir/data"
	if [ "$(df --output=avail -k "$dir" | tail -n 1)" -lt $((rows * 350 / 1000)) ]; then
		echo "mysql.sh: $dir has not enough room: 350 bytes a row" >&2
		exit 74
	fi
	[ "$(id -u)" -ne 0 ] || { owner=(--user=mysql) && chown mysql "$dir"; }
	mariadb-install-db --no-defaults "${owner[@]}" --datadir="$dir/data" --auth-root-authentication-method=normal >"$dir/log" 2>&1
	# nothing here needs to survive a crash
	start --innodb-buffer-pool-size="${BUFFER:-3G}" --innodb-sort-buffer-size=64M --innodb-flush-log-at-trx-commit=0 \
		--skip-innodb-doublewrite --performance-schema=OFF
	mariadb --no-defaults -S "$socket" -u root -e 'CREATE DATABASE bench'
	table_build "$rows" $((rows / 100))
	stop
	echo "$rows" >"$dir/rows"
}

cold() {
	stop
	# what InnoDB left in the page cache; it reads past it
	find "$dir/data" -name '*.ibd' -exec dd if={} iflag=nocache count=0 status=none \;
	start --innodb-buffer-pool-size="${BUFFER:-1G}"
}

# timed NAME COMMAND...: a line of wall, CPU seconds and KB
timed() {
	/usr/bin/time -a -o "$tmp/$1" -f '%e %U %S %M' "${@:2}"
}

# collect NAME RUN WAY: how the rows were got goes to NAME, their number and what the server looked at for them to NAME.rows.
collect() {
	local out=$tmp/results reads
	rm -rf "$out"
	table_run "$out" "$2" "$rows" $((rows / 100))
	table_config "$socket" root bench "$3" >"$tmp/config.yaml"
	reads=$(table_reads)
	timed "$1" "$impaudit" -q collect --config "$tmp/config.yaml" --out "$out" --phase final >"$tmp/said"
	reads=$(($(table_reads) - reads))
	grep -q '"ev": "rows".*"complete": true' "$out"/db/check-1/rows*.jsonl
	echo "$(cat "$out"/db/check-1/rows*.jsonl | grep -c '"ev":"row"') $reads" >>"$tmp/$1.rows"
}

medians() { # NAME TITLE
	paste -d ' ' "$tmp/$1" "$tmp/$1.rows" | sort -n | awk -v title="$2" '
		{ wall[NR] = $1; cpu[NR] = $2 + $3; if ($4 > rss) rss = $4; n = $5; if ($6 > reads) reads = $6 }
		END {
			m = int((NR + 1) / 2)
			printf "%-28s %8.2f %15s %8.2f %8.1f %9d %9s %10.0f\n", title, wall[m], "[" wall[1] "-" wall[NR] "]", cpu[m],
				rss / 1024, n, reads ? reads : "", n / wall[m]
		}'
}

client() { # NAME FILE: the same rows from the client
	timed "$1" mariadb --no-defaults -S "$socket" -u root --quick -N -B -D bench -e "
		SELECT client_mid, topic, seqid, id, createdat FROM messages WHERE client_mid LIKE 'lt-large-%'" >"$2"
	echo $((rows / 100)) >>"$tmp/$1.rows"
}

measure() {
	local i way
	rows=$(cat "$dir/rows")
	for ((i = 0; i < runs; i++)); do
		for way in column generated topic json; do
			cold
			collect "$way" bench "$way"
			collect "$way-warm" bench "$way"
		done
	done
	client first /dev/null
	for ((i = 0; i < runs; i++)); do
		collect large large column
		client client /dev/null
		client client-file "$tmp/rows.tsv"
	done
	printf '%-28s %8s %15s %8s %8s %9s %9s %10s\n' what 'wall s' '[min-max]' 'cpu s' 'RSS MB' rows 'looked at' rows/s
	for way in column generated topic json; do
		medians "$way" "run, by $way, cold"
		medians "$way-warm" "run, by $way, warm"
	done
	medians large "large run, impaudit"
	medians client "large run, mariadb"
	medians client-file "large run, mariadb to a file"
}

case ${1:-} in
build) build ;;
*)
	if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -x "$1" ] || [ ! -f "$dir/rows" ]; then
		echo 'usage: mysql.sh build, then mysql.sh IMPAUDIT [N]' >&2
		exit 64
	fi
	impaudit=$(realpath -- "$1")
	runs=${2:-3}
	tmp=$(mktemp -d)
	trap 'stop; rm -rf "$tmp"' EXIT
	measure
	;;
esac
