#!/bin/bash
# imlab with real parts behind it: MariaDB as Tinode writes it, then Kafka with a consumer into MariaDB.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb kafka
# shellcheck source=tests/lib/imlab.sh
. "$top_srcdir/tests/lib/imlab.sh"

stock=imlab_$$ fork=imlab_fork_$$ tenant=$((100 + $$ % 900)) month=$(date -u +%Y%m)
p2p=im_${tenant}_messages group=im_${tenant}_group_messages_$month

on_exit()
{
	kill "${imlab_pids[@]}" "${pipes[@]}"
	lab_sql "DROP DATABASE IF EXISTS $stock; DROP DATABASE IF EXISTS $fork"
} >/dev/null 2>&1
pipes=()
trap 'on_exit; lab_mend; rm -rf "$work"' EXIT

sql()
{
	mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root -N "$@"
}

# step NAME: store.py says so of the server started last.
step()
{
	python3 "$top_srcdir/tests/lab/store.py" "$1" "$imlab_port" "${@:2}" >"$1.tap"
	ok $? "$1: $(grep -c '^ok' "$1.tap") checks hold"
	grep -A 5 '^not ok' "$1.tap" | sed 's/^/# /'
}

consume()
{
	"$top_builddir/tests/lab/pipe" consume --brokers "127.0.0.1:$LAB_KAFKA_PORT" --socket "$LAB_MARIADB_SOCKET" --database "$fork" --follow \
		--topic "$1" --group "imlab-$$-$1" --table "$2" >"$1.out" 2>&1 &
	pipes+=($!)
}

lab_sql "CREATE DATABASE $stock; CREATE DATABASE $fork"
sql "$stock" <"$top_srcdir/tests/lab/imlab/schema.sql"
sql "$fork" <"$top_srcdir/tests/lab/imlab/schema.sql"
sed -e 's/im_008_messages/'"$p2p"'/g; s/id int NOT NULL/id bigint NOT NULL/' "$top_srcdir/tests/lab/im.sql" | sql "$fork"
sql "$fork" -e "CREATE TABLE $group LIKE $p2p"
ok $? 'tables'

imlab_start stock --mysql "$LAB_MARIADB_SOCKET" --database "$stock"
step fill
is "$(sql "$stock" -e 'SELECT COUNT(*), COUNT(DISTINCT topic), MAX(seqid) FROM messages')" $'40\t2\t20' 'each acknowledged message has its row'
is "$(sql "$stock" -e "SELECT JSON_VALUE(head, '\$.\"x-im-client-mid\"') FROM messages WHERE seqid = 7 AND topic LIKE 'grp%'")" group-6 'with its mid'
step read
imlab_stop
imlab_start stock --mysql "$LAB_MARIADB_SOCKET" --database "$stock"
step go-on
lab_sql "ALTER TABLE $stock.messages AUTO_INCREMENT = 2147483647; INSERT INTO $stock.messages SELECT NULL, createdat, updatedat, deletedat,
	delid, seqid, 'none', \`from\`, head, content FROM $stock.messages LIMIT 1"
step refused stock.log
imlab_stop

imlab_start fork --mysql "$LAB_MARIADB_SOCKET" --database "$fork" --kafka "127.0.0.1:$LAB_KAFKA_PORT" --tenant "$tenant"
step fill
is "$(sql "$fork" -e "SELECT COUNT(*) FROM $p2p")" 0 'acknowledged before it is in the database'
consume im.message.persist "$p2p"
consume im.group.message.persist "$group"
step read
topic=$(sed 's/.*"group": "\([^"]*\)".*/\1/' store.json)
is "$(sql "$fork" -e "SELECT COUNT(*), MIN(id) > 7e18 FROM $group WHERE topic = '$topic'")" $'20\t1' 'rows of the group, with large ids'
imlab_stop
imlab_start fork --mysql "$LAB_MARIADB_SOCKET" --database "$fork" --kafka "127.0.0.1:$LAB_KAFKA_PORT" --tenant "$tenant"
step go-on
imlab_stop
tap_done
