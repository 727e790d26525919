#!/bin/bash
# imlab with real parts behind it: MariaDB as Tinode writes it, then Kafka with a consumer into MariaDB.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb kafka
# shellcheck source=tests/lib/imlab.sh
. "$top_srcdir/tests/lib/imlab.sh"

stock=imlab_$$ fork=imlab_fork_$$ tenant=$((100 + $$ % 900))

on_exit()
{
	kill "${imlab_pids[@]}"
	imlab_sql -e "DROP DATABASE IF EXISTS $stock; DROP DATABASE IF EXISTS $fork"
} >/dev/null 2>&1
trap 'on_exit; lab_mend; rm -rf "$work"' EXIT

# step NAME: store.py says so of the server started last.
step()
{
	python3 "$top_srcdir/tests/lab/store.py" "$1" "$imlab_port" "${@:2}" >"$1.tap"
	ok $? "$1: $(grep -c '^ok' "$1.tap") checks hold"
	grep -A 5 '^not ok' "$1.tap" | sed 's/^/# /'
}

imlab_tables "$stock" && imlab_tables "$fork" "$tenant"
ok $? 'tables'

imlab_start stock --mysql "$LAB_MARIADB_SOCKET" --database "$stock"
step fill
is "$(imlab_sql "$stock" -e 'SELECT COUNT(*), COUNT(DISTINCT topic), MAX(seqid) FROM messages')" $'40\t2\t20' 'each acknowledged message has its row'
is "$(imlab_sql "$stock" -e "SELECT JSON_VALUE(head, '\$.\"x-im-client-mid\"') FROM messages WHERE seqid = 7 AND topic LIKE 'grp%'")" group-6 'with its mid'
step read
imlab_stop
imlab_start stock --mysql "$LAB_MARIADB_SOCKET" --database "$stock"
step go-on
mkfifo orders
python3 "$top_srcdir/tests/lab/store.py" stalled "$imlab_port" stock.log <orders >stalled.tap &
client=$!
exec 7>orders
lab_until 10 grep -q READY stalled.tap && lab_pause mariadb && echo >&7 && lab_until 10 grep -q FULL stalled.tap
ok $? 'the queue of a topic fills while MariaDB stands still'
lab_resume mariadb
wait $client
ok $? "stalled: $(grep -c '^ok' stalled.tap) checks hold"
grep -A 5 '^not ok' stalled.tap | sed 's/^/# /'
exec 7>&-
lab_sql "ALTER TABLE $stock.messages AUTO_INCREMENT = 2147483647; INSERT INTO $stock.messages SELECT NULL, createdat, updatedat, deletedat,
	delid, seqid, 'none', \`from\`, head, content FROM $stock.messages LIMIT 1"
step refused stock.log
imlab_stop

lab_sql "TRUNCATE $stock.messages; ALTER TABLE $stock.messages AUTO_INCREMENT = 1"
mkdir nodes
# shellcheck disable=SC2154
python3 "$top_srcdir/tests/lab/cluster.py" nodes "$imlab" --mysql "$LAB_MARIADB_SOCKET" --database "$stock" >cluster.tap
ok $? "three nodes on one database: $(grep -c '^ok' cluster.tap) checks hold"
grep -A 5 '^not ok' cluster.tap | sed 's/^/# /'

imlab_start fork --mysql "$LAB_MARIADB_SOCKET" --database "$fork" --kafka "127.0.0.1:$LAB_KAFKA_PORT" --tenant "$tenant"
step fill
is "$(imlab_sql "$fork" -e "SELECT COUNT(*) FROM $(imlab_p2p_table "$tenant")")" 0 'acknowledged before it is in the database'
imlab_consume "$fork" "$tenant"
step read
topic=$(sed 's/.*"group": "\([^"]*\)".*/\1/' store.json)
is "$(imlab_sql "$fork" -e "SELECT COUNT(*), MIN(id) > 7e18 FROM $(imlab_group_table "$tenant") WHERE topic = '$topic'")" $'20\t1' 'rows of the group, with large ids'
imlab_stop
imlab_start fork --mysql "$LAB_MARIADB_SOCKET" --database "$fork" --kafka "127.0.0.1:$LAB_KAFKA_PORT" --tenant "$tenant"
step go-on
imlab_stop
tap_done
