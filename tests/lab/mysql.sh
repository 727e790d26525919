#!/bin/bash
# What is taken from MySQL or MariaDB: rows of the run and no others, however they are found and whatever their tables look like; dead
# letters; one snapshot; what happens without rights, without an index, and when the server goes away in the middle.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb

db=mysql_$$ secret=Effi-Briest-$$ now=$(date +%s)

on_exit()
{
	kill -KILL "${background:-}"
	[ -z "${tls_server:-}" ] || kill "$tls_server"
	lab_mend
	lab_sql "DROP DATABASE IF EXISTS $db; DROP USER IF EXISTS $db@localhost, p$db@localhost"
} >/dev/null 2>&1
trap 'on_exit; rm -rf "$work"' EXIT

sql()
{
	lab_sql --default-character-set=utf8mb4 -D "$db" "$1"
}

# configuration [KEY: VALUE...] <TABLES: the lab's server, and the lists of tables from standard input.
configuration()
{
	cat - >tables.yaml
	{
		cat <<-END
			format: 1
			timeout: 3s
			tries: 2
			pause: 100ms
			mysql:
			  address: 127.0.0.1:$LAB_MARIADB_PORT
			  user: $db
			  password: {file: password}
			  database: $db
		END
		printf '  %s\n' "$@"
		sed 's/^/  /' tables.yaml
	} >impaudit.yaml
}

# results DIR [TENANT]: of a run whose mids begin with lt_a-
results()
{
	mkdir "$1"
	echo "{\"format\":1,\"run_id\":\"$1\",\"tenant\":\"${2-8}\",\"client_mid_prefix\":\"lt_a-\"}" >"$1/run.json"
	echo "{\"load_start\":${now}000000000}" >"$1/timeline.json"
	printf '{"topic":"%s","kind":"group","members":["a1"]}\n' grp1 grp2 >"$1/topics.jsonl"
}

# collect STATUS DIR ARG...: into a new directory, with what failed on standard error.
collect()
{
	results "$2" "${tenant-8}"
	run "$1" collect --config impaudit.yaml --out "$2" "${@:3}"
}

# rows DIR KEY...: of each row or letter (with the key error) the values, sorted.
rows()
{
	python3 - "$@" <<-'END'
		import glob, json, sys
		lines = []
		for name in glob.glob(sys.argv[1] + "/db/check-*/*.jsonl"):
		    with open(name, encoding="utf-8") as f:
		        for e in map(json.loads, f):
		            if e["ev"] == ("dead" if "error" in sys.argv else "row"):
		                lines.append(" ".join(str(e.get(k)).replace("\n", "<LF>") for k in sys.argv[2:]))
		print(*sorted(lines), sep="\n")
	END
}

mids()
{
	rows "$1" mid | paste -sd ' '
}

# ends DIR [EV]: what closes the look-up: table, complete, count
ends()
{
	python3 - "$1" "${2-rows}" <<-'END'
		import glob, json, sys
		for name in sorted(glob.glob(sys.argv[1] + "/db/check-*/*.jsonl")):
		    with open(name, encoding="utf-8") as f:
		        for e in map(json.loads, f):
		            if e["ev"] == sys.argv[2]:
		                print(e.get("table", "-"), str(e["complete"]).lower(), e["count"])
	END
}

# journal DIR WHAT KEY
journal()
{
	python3 - "$@" <<-'END'
		import glob, json, sys
		for name in sorted(glob.glob(sys.argv[1] + "/collect/*.jsonl")):
		    with open(name, encoding="utf-8") as f:
		        for e in map(json.loads, f):
		            if e.get("what", "").startswith(sys.argv[2]):
		                print(e.get(sys.argv[3]))
	END
}

# The rights of docs/collect.md, and no more
lab_sql "CREATE DATABASE $db; CREATE USER $db@localhost IDENTIFIED BY '$secret', p$db@localhost IDENTIFIED BY '$secret';
	GRANT SELECT ON $db.* TO $db@localhost, p$db@localhost; GRANT PROCESS ON *.* TO p$db@localhost"
(umask 077 && echo "$secret" >password && echo Stechlin >wrong-password)
ok $? 'an account that may read'

echo '# by mid: a collation finds more than the run, and _ stands for any character'
sql "CREATE TABLE by_mid (id BIGINT UNSIGNED PRIMARY KEY, topic VARCHAR(25), seqid BIGINT, createdat DATETIME(3), mid VARCHAR(64), KEY (mid))
	DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_general_ci;
	INSERT INTO by_mid VALUES (1, 'grp1', 1, '2026-12-01 08:00:00.250', 'lt_a-1'), (18446744073709551615, 'grp1', 2, NULL, 'lt_a-2'),
	(3, 'grp1', 3, NULL, 'LT_A-3'), (4, 'grp1', 4, NULL, 'ltxa-4'), (5, 'grp1', 5, '0000-00-00', 'lt_a-ü\\\\''\"'), (6, 'grp1', 6, NULL, NULL),
	(7, 'grp1', 7, NULL, 'xlt_a-7')"
configuration <<END
tables:
  - {table: by_mid, mid: mid, zone: '+08:00'}
END
collect 0 by-mid
cat >want <<'END'
lt_a-1 grp1 1 1 2026-12-01T08:00:00.250+08:00
lt_a-2 grp1 2 18446744073709551615 None
lt_a-ü\'" grp1 5 5 None
END
rows by-mid mid topic seq id created | diff want -
ok $? 'rows'
is "$(ends by-mid)" 'by_mid true 3' 'they are all'
is "$(journal by-mid 'rows of' query)" \
	"SELECT \`mid\`, \`topic\`, \`seqid\`, \`id\`, \`createdat\` FROM \`by_mid\` WHERE \`mid\` LIKE 'lt\\\\_a-%'" 'what was asked'
is "$(journal by-mid 'InnoDB status' status)" denied 'a right that is missing is noted'
has by-mid/collect/*.jsonl PROCESS
(cd by-mid && sha256sum -c --quiet manifest.sha256)
ok $? 'manifest'

echo '# hostile names, JSON, a generated column'
sql "$(cat <<'END'
CREATE TABLE `ta``b'l"e -- ${x}; {mid}` (`i``d` INT PRIMARY KEY, `to pic` TEXT, `se'q` INT, head JSON,
	g VARCHAR(64) AS (JSON_VALUE(head, '$."x-im-client-mid"')) VIRTUAL, KEY (g));
INSERT INTO `ta``b'l"e -- ${x}; {mid}` (`i``d`, `to pic`, `se'q`, head) VALUES (1, 'grp1', 1, '{"x-im-client-mid": "lt_a-1"}'),
	(2, 'grp1', 2, '{"x-im-client-mid": "lt_a-\\u00e9\\n2"}'), (3, 'grp1', 3, '{}'), (4, 'grp1', 4, NULL), (5, 'grp1', 5, '{"x-im-client-mid": "LT_A-5"}');
END
)"
configuration <<'END'
tables:
  - {table: "ta`b'l\"e -- ${x}; {mid}", id: 'i`d', topic: to pic, seq: "se'q", mid: {column: head, path: '$."x-im-client-mid"'}}
END
collect 0 json
is "$(mids json)" 'lt_a-1 lt_a-é<LF>2' 'by a path of JSON'
sed -i 's/mid: {column.*}}/mid: g}/' impaudit.yaml
collect 0 generated
is "$(mids generated)" 'lt_a-1 lt_a-é<LF>2' 'by a generated column'
is "$(ends generated | sed 's/.* true/true/')" 'true 2' 'complete'

echo '# down the topics: pages, names that differ in case, no more than the time of the run'
sql "CREATE TABLE by_topic (id INT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(25), seqid INT, createdat TIMESTAMP(3) NULL, mid VARCHAR(64), UNIQUE (topic, seqid))
	DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_unicode_ci;
	INSERT INTO by_topic (topic, seqid, createdat, mid) SELECT 'grp1', seq, FROM_UNIXTIME($now - 86400 + seq), CONCAT('lt_a-old', seq) FROM seq_1_to_2000;
	INSERT INTO by_topic (topic, seqid, createdat, mid) SELECT 'grp1', 2000 + seq, FROM_UNIXTIME($now + seq), CONCAT(IF(seq % 5, 'lt_a-', 'other-'), seq) FROM seq_1_to_25;
	INSERT INTO by_topic (topic, seqid, createdat, mid) VALUES ('grp2', 1, NULL, 'lt_a-g2'), ('grp3', 1, FROM_UNIXTIME($now), 'lt_a-g3')"
configuration 'page: 10' 'scan_max: 100' <<END
tables:
  - {table: by_topic, mid: mid, kind: group}
END
read_prev()
{
	lab_sql "SHOW GLOBAL STATUS LIKE 'Handler_read_prev'" | cut -f 2
}
before=$(read_prev)
collect 0 by-topic
is "$(ends by-topic)" 'by_topic true 26' 'rows, of which old ones are those of the last page alone'
is "$(rows by-topic seq mid | grep -vc old)" 21 'all of the run'
is "$(rows by-topic topic | sort | uniq -c | sed 's/^ *//' | paste -sd ,)" '25 grp1,1 grp2' 'each topic, and no other'
steps=$(($(read_prev) - before))
[ $steps -ge 25 ] && [ $steps -le 60 ]
ok $? "the server read $steps rows"
sql "INSERT INTO by_topic (topic, seqid, createdat, mid) VALUES ('GRP2', 2, FROM_UNIXTIME($now), 'lt_a-upper')"
collect 0 by-topic-case
is "$(mids by-topic-case | grep -c upper)" 0 'GRP2 is not grp2'
results damaged
echo '{"topic":' >>damaged/topics.jsonl
run 69 collect --config impaudit.yaml --out damaged
is "$(ends damaged)" 'by_topic false 26' 'topics that cannot be read: not complete'

echo '# looked up again, down its topic'
mkdir -p again/agents/a
results again-facts
mv again-facts/run.json again-facts/topics.jsonl again
cat >again/agents/a/a.jsonl <<END
{"ev":"pub","t":${now}000000000,"mid":"lt_a-1","topic":"grp1","from":"a1"}
{"ev":"ctrl","t":${now}003000000,"mid":"lt_a-1","code":202,"seq":2001}
{"ev":"pub","t":${now}100000000,"mid":"lt_a-late","topic":"grp2","from":"a1"}
{"ev":"ctrl","t":${now}103000000,"mid":"lt_a-late","code":202,"seq":3}
END
persisted()
{
	query_flat --store again.db "SELECT mid, persisted FROM message ORDER BY mid"
}
run 0 collect --config impaudit.yaml --out again
run 0 ingest -q --store again.db again
is "$(persisted)" 'lt_a-1,exact lt_a-late,absent' 'a message is late'
sql "INSERT INTO by_topic (topic, seqid, createdat, mid) VALUES ('grp2', 3, FROM_UNIXTIME($now), 'lt_a-late')"
run 0 recheck --config impaudit.yaml --store again.db --out again
is "$(ends again | tail -n 1)" 'by_topic true 1' 'it alone was looked for'
is "$(persisted)" 'lt_a-1,exact lt_a-late,exact' 'and is there'

echo '# an index is missing'
sql "CREATE TABLE bare (id INT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(25), seqid INT, mid VARCHAR(64));
	INSERT INTO bare (topic, seqid, mid) SELECT 'grp1', seq, CONCAT('lt_a-', seq) FROM seq_1_to_200; ANALYZE TABLE bare" >said
configuration 'scan_max: 100' <<END
tables:
  - {table: bare, mid: mid}
END
collect 69 refused
has err "rows of the table 'bare' would have to be read: no index leads to mid"
has err --allow-scan
is "$(ends refused)" 'bare false 0' 'nothing is known of its rows'
is "$(journal refused 'rows of bare' status)" refused 'journal'
collect 0 allowed --allow-scan
is "$(ends allowed)" 'bare true 200' 'allowed'
sed -i 's/scan_max: 100/scan_max: 1000/' impaudit.yaml
collect 0 small
is "$(ends small)" 'bare true 200' 'a small table may be read'

echo '# rows that cannot be told, bytes that are no text, times'
sql "CREATE TABLE odd (id INT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(25), seqid DECIMAL(20, 1), createdat BIGINT, mid VARBINARY(64), KEY (mid));
	INSERT INTO odd (topic, seqid, createdat, mid) VALUES ('grp1', 1, $now, 'lt_a-1'), (NULL, 2, 0, 'lt_a-2'), ('grp1', NULL, 0, 'lt_a-3')"
configuration <<END
tables:
  - {table: odd, mid: mid}
END
collect 69 odd
has err "3 rows of 'odd' have no topic, or a seq that is no whole number"
is "$(ends odd)" 'odd false 0' 'not complete'
sql "ALTER TABLE odd MODIFY seqid BIGINT; DELETE FROM odd WHERE topic IS NULL OR seqid IS NULL;
	INSERT INTO odd (topic, seqid, createdat, mid) VALUES ('grp1', 9223372036854775807, ${now}123, x'6c745f612dff31'), ('grp1', -1, ${now}123456789, 'lt_a-3')"
collect 0 odd-bytes
is "$(rows odd-bytes mid seq created)" "lt_a-1 1 ${now}000000000
lt_a-3 -1 ${now}123456789
lt_a-�1 9223372036854775807 ${now}123000000" 'rows'

echo '# names that the run gives'
sql "CREATE TABLE im_008_messages (id BIGINT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(25), seqid INT, owner INT, mid VARCHAR(64), KEY (owner, mid));
	INSERT INTO im_008_messages (topic, seqid, owner, mid) VALUES ('grp1', 1, 8, 'lt_a-1'), ('grp1', 2, 9, 'lt_a-2')"
configuration <<'END'
tables:
  - {pattern: 'im_{tenant:3}_messages', allow: 'im_\d{3}_messages', mid: mid, tenant: {column: owner, value: '{tenant}'}}
END
collect 0 tenant
is "$(mids tenant)" lt_a-1 'of this tenant'
is "$(ends tenant)" 'im_008_messages true 1' 'its table'
tenant=''
collect 65 no-tenant
has err "run.json names no tenant, for 'im_{tenant:3}_messages'"
tenant='8_messages` WHERE 1; --'
collect 65 hostile-tenant
unset tenant
has err 'does not allow'
is "$(ends hostile-tenant)" 'im_{tenant:3}_messages false 0' 'not looked at is not absent'

month=$(date -u +%Y%m)
sql "CREATE TABLE im_008_group_$month LIKE by_mid; INSERT INTO im_008_group_$month (id, topic, seqid, mid) VALUES (1, 'grp1', 1, 'lt_a-1')"
configuration <<'END'
tables:
  - {pattern: 'im_{tenant:3}_group_{month}', allow: 'im_\d{3}_group_\d{6}', mid: mid}
END
collect 0 month
is "$(ends month)" "im_008_group_$month true 1" 'a table of this month'
results no-load
rm no-load/timeline.json
run 65 collect --config impaudit.yaml --out no-load
is "$(ends no-load)" 'im_{tenant:3}_group_{month} false 0' 'which month is not known'

echo '# rights, names and passwords'
sql 'CREATE TABLE hidden LIKE by_mid'
lab_sql "REVOKE SELECT ON $db.* FROM $db@localhost; GRANT SELECT ON $db.by_mid TO $db@localhost"
configuration <<END
tables:
  - {table: hidden, mid: mid}
  - {table: by_mid, mid: mid}
  - {table: nowhere, mid: mid}
END
collect 69 denied
is "$(ends denied | paste -sd ,)" 'hidden false 0,by_mid true 3,nowhere false 0' 'what may be seen is there'
is "$(journal denied 'rows of' status | paste -sd ' ')" 'denied ok denied' 'journal'
lab_sql "GRANT SELECT ON $db.* TO $db@localhost"
collect 69 missing
is "$(journal missing 'rows of' status | paste -sd ' ')" 'ok ok failed' 'a table that is missing'
has err nowhere
sed -i 's/mid: mid/mid: middle/' impaudit.yaml
collect 69 column
has err "has no column 'middle'"
sed -i 's/: password}/: wrong-password}/' impaudit.yaml
collect 69 refusal
has err 'Access denied'
grep -Fq -e "$secret" -e Stechlin err out refusal/collect/*.jsonl
ok $((! $?)) 'no password is shown'
sed -i "s/: wrong-password}/: password}/; s/:$LAB_MARIADB_PORT/:9/" impaudit.yaml
collect 69 nobody
has err 'asked 2 times'

echo '# dead letters: a real error 1264'
mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root "$db" -e 'DROP TABLE im_008_messages'
mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root "$db" <"$top_srcdir/tests/lab/im.sql"
error=$(sql "INSERT INTO im_008_messages (id, createdat, seqid, topic, client_msg_id) VALUES (4294967296, NOW(), 1, 'grp1', 'lt_a-1')" 2>&1)
error=${error##*$'\n'}
is "$error" "ERROR 1264 (22003) at line 1: Out of range value for column 'id' at row 1" 'what the server says'
sql "INSERT INTO im_kafka_dead_letters (created_at, kafka_topic, topic, client_msg_id, payload, error, error_code, status) VALUES
	('2026-12-01 00:00:01.5', 'k', 'grp1', 'lt_a-1', '{}', '${error//\'/\'\'}', 1264, 'dead'),
	('2026-12-01 00:00:02', 'k', 'grp1', 'lt_a-2', '{}', 'dsn root:pass@tcp(db)/im, password=Melusine', 1045, 'replayed'),
	('2026-12-01 00:00:02', 'k', 'grp1', 'LT_A-3', '{}', 'x', 1, 'dead')"
configuration <<END
tables:
  - {table: im_008_messages, mid: client_msg_id}
dead_letters:
  - {table: im_kafka_dead_letters}
END
collect 0 dead
is "$(rows dead t mid code topic kafka_topic state error)" "1796083201500000000 lt_a-1 1264 grp1 k dead $error
1796083202000000000 lt_a-2 1045 grp1 k replayed dsn root:[redacted]@tcp(db)/im, password=[redacted]" 'letters'
is "$(ends dead deads)" '- true 2' 'they are all'
grep -Fq Melusine -r dead
ok $((! $?)) 'no secret'
has dead/db/check-1/schema.jsonl '"table": "im_008_messages", "column": "id", "type": "int(11)", "nullable": "NO", "extra": "auto_increment"'

echo '# one snapshot, of a moment before the first row'
sql "CREATE TABLE large (id INT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(25), seqid INT, mid VARCHAR(64), KEY (mid));
	INSERT INTO large (topic, seqid, mid) SELECT 'grp1', seq, CONCAT('lt_a-', LPAD(seq, 40, '0')) FROM seq_1_to_300000; ANALYZE TABLE large" >said
configuration <<END
tables:
  - {table: large, mid: mid}
  - {table: by_mid, mid: mid}
END
# begin DIR: collect in the background, and stop as rows have come.
rows_began()
{
	[ -n "$(find "$1/db/check-1" -name 'rows*' -size +0 2>/dev/null)" ] || ! kill -0 "$background" 2>/dev/null
}
begin()
{
	results "$1"
	"$IMPAUDIT" collect --config impaudit.yaml --out "$1" >out 2>err &
	background=$!
	lab_until 30 rows_began "$1"
	kill -STOP $background
}
finish()
{
	kill -CONT $background
	wait $background
	is $? "$1" "$2"
	background=
}
begin snapshot
sql "INSERT INTO by_mid (id, topic, seqid, mid) VALUES (100, 'grp1', 100, 'lt_a-late'); DELETE FROM by_mid WHERE id = 1"
finish 0 'collected while rows come and go'
is "$(ends snapshot | paste -sd ,)" 'large true 300000,by_mid true 3' 'the rows of the moment'
grep -q lt_a-late snapshot/db/check-1/rows.jsonl
ok $((! $?)) 'none of later'

echo '# the connection is cut in the middle'
begin cut
lab_sql "SELECT id FROM information_schema.PROCESSLIST WHERE USER = '$db'" | while read -r id; do
	lab_sql "KILL CONNECTION $id"
done
finish 69 'exit status'
has err 'collect again'
is "$(ends cut | cut -d ' ' -f 1,2 | paste -sd ,)" 'large false,by_mid false' 'no table is complete'
n=$(rows cut mid | wc -l)
[ "$n" -gt 0 ] && [ "$n" -lt 300000 ] && [ "$n" -eq "$(ends cut | sed -n 's/^large false //p')" ]
ok $? "the $n rows that came are kept"
run 0 collect --config impaudit.yaml --out cut
is "$(ends cut | tail -n 2 | paste -sd ,)" 'large true 300000,by_mid true 3' 'the next check is complete'
[ -s cut/db/check-2/rows.jsonl ]
ok $? 'as check 2'

echo '# told to stop'
begin stopped
kill -TERM $background
finish 69 'exit status'
is "$(ends stopped | cut -d ' ' -f 2 | paste -sd ,)" false,false 'not complete'

echo '# the server hangs'
lab_pause mariadb
SECONDS=0
collect 69 hangs
[ $SECONDS -le 20 ]
ok $? "given up after $SECONDS s"
has err 'no answer within 3000 ms'
lab_resume mariadb

echo '# status, with the right to see it, and a deadlock'
sql "CREATE TABLE locks (id INT PRIMARY KEY, v VARCHAR(64)); INSERT INTO locks VALUES (1, 'Tolstoi'), (2, 'Tolstoi')"
cross()
{
	sql "BEGIN; UPDATE locks SET v = 'it is a secret' WHERE id = $1; DO SLEEP(0.5); UPDATE locks SET v = 'it is ''a\" secret' WHERE id = $2" 2>&1
}
cross 1 2 >cross.out &
cross 2 1 >>cross.out
wait $!
has cross.out 'Deadlock found'
sed -i "s/user: $db/user: p$db/" impaudit.yaml
collect 0 status --phase baseline
python3 - status/db/status@*.jsonl "$now" >innodb <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    lines = [json.loads(line) for line in f]
status = {e["name"]: e["value"] for e in lines if e["ev"] == "status"}
(innodb,) = [e for e in lines if e["ev"] == "innodb"]
print(len(status) > 300, int(status["Uptime"]) > 0, innodb["server"], innodb["history_length"] >= 0,
    0 <= innodb["deadlock_t"] // 10**9 - int(sys.argv[2]) < 600)
print(innodb["deadlock"])
END
is "$(head -n 1 innodb)" 'True True main True True' 'status and time of the deadlock'
has innodb 'UPDATE locks SET v = ? WHERE id ='
grep -Eq 'secret|Tolstoi|hex' innodb
ok $((! $?)) 'nothing of what is stored'
is "$(ls status/db)" status@baseline_start.jsonl 'no rows in the baseline'
results sampled
"$IMPAUDIT" collect --config impaudit.yaml --out sampled --phase load --every 100ms >out 2>err &
background=$!
sampled()
{
	[ "$(find sampled -name 'status@*' -size +0 | wc -l)" -ge 4 ]
}
lab_until 20 sampled
kill -TERM $background
finish 0 'samples'

echo '# TLS'
# shellcheck source=tests/lib/tls.sh
. "$top_srcdir/tests/lib/tls.sh"
make_ca right && make_ca wrong && make_cert here right IP:127.0.0.1 && make_cert elsewhere right DNS:elsewhere.example
ok $? 'certificates'
mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$work/tls" --auth-root-authentication-method=normal >said 2>&1
# start_tls CERT: a server of our own with it
start_tls()
{
	mariadbd --no-defaults --user="$(id -un)" --datadir="$work/tls" --socket="$work/tls.sock" --port="$tls_port" --bind-address=127.0.0.1 \
		--ssl-ca="$work/right.crt" --ssl-cert="$work/$1.crt" --ssl-key="$work/$1.key" --innodb-buffer-pool-size=8M >tls.log 2>&1 &
	tls_server=$!
	lab_until 30 mariadb --no-defaults -S "$work/tls.sock" -u root -e 'DO 0' 2>/dev/null
}
stop_tls()
{
	kill "$tls_server" && wait "$tls_server"
	tls_server=
}
tls_port=$((20000 + RANDOM % 12000))
start_tls here
mariadb --no-defaults -S "$work/tls.sock" -u root -e "CREATE DATABASE $db; CREATE USER $db@localhost IDENTIFIED BY '$secret' REQUIRE SSL; GRANT SELECT ON $db.* TO $db@localhost;
	CREATE TABLE $db.by_mid (topic VARCHAR(25), seqid INT, mid VARCHAR(64) PRIMARY KEY); INSERT INTO $db.by_mid VALUES ('grp1', 1, 'lt_a-1')"
ok $? 'a server with TLS'
sed -i "s/user: p$db/user: $db/; s/:$LAB_MARIADB_PORT/:$tls_port/; /table: large/d" impaudit.yaml
collect 69 tls-without
has err 'Access denied'
sed -i 's/^  user:/  tls: {ca: right.crt}\n  user:/' impaudit.yaml
collect 0 tls-right
is "$(mids tls-right)" lt_a-1 'rows over TLS'
grep -Eq '"address": "127.0.0.1:[0-9]+ \(TLS_' tls-right/collect/*.jsonl
ok $? 'the journal has its cipher'
sed -i 's/right.crt/wrong.crt/' impaudit.yaml
collect 69 tls-wrong
has err certificate
sed -i 's/wrong.crt/right.crt/' impaudit.yaml
stop_tls
start_tls elsewhere
collect 69 tls-elsewhere
grep -Eqi 'certificate|name|host' err
ok $? 'a certificate of another name is refused'
stop_tls
sed -i "s/:$tls_port/:$LAB_MARIADB_PORT/" impaudit.yaml
collect 69 tls-none
has err 'SSL'
tap_done
