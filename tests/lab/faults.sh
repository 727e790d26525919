#!/bin/bash
# What happens to servers, networks, disks and the collector itself while it collects: a clear error, exit 69 (74 for our own disk), a
# truthful results directory, and the next collection completes it. Each part has its limit of time.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb redis kafka

tag=faults_$$ kafka=127.0.0.1:$LAB_KAFKA_PORT secret=Wahlverwandtschaften-$$ rows=200000
UNAVAILABLE=69 IOERR=74

on_exit()
{
	kill "${background:-}" 2>/dev/null
	lab_mend
	lab_sql "DROP DATABASE IF EXISTS $tag; DROP USER IF EXISTS $tag@localhost"
	lab_redis ACL DELUSER "$tag"
	lab_kafka TopicCommand --delete --topic "$tag"
}

# configuration FILE DATABASE-SETTING...: the lab with short limits; settings of MySQL may be put over it.
configuration()
{
	local mysql=${2:-}
	cat >"$1" <<-END
		format: 1
		timeout: 2s
		tries: 2
		mysql:
		  address: 127.0.0.1:$LAB_MARIADB_PORT
		  user: $tag
		  password: {file: ${3:-password}}
		  database: $tag
		  tables:
		    - {table: ${mysql:-im_008_messages}, kind: p2p, mid: client_msg_id}
		kafka:
		  bootstrap: $kafka
		  groups:
		    - {group: $tag, topics: [$tag]}
		redis:
		  address: 127.0.0.1:$LAB_REDIS_PORT
		  user: $tag
		  password: {file: password}
	END
}

# results DIR: of a run of which an agent recorded two messages: f1, which the table has, and f0, which it has not.
results()
{
	mkdir -p "$1/agents/a"
	cat >"$1/run.json" <<-END
		{"format":1,"run_id":"$1","scenarios":[{"id":"s1","kind":"p2p","planned_messages":2}],"client_mid_prefix":"f"}
	END
	echo '{"topic":"p2p-1","kind":"p2p","members":["a1","b1"]}' >"$1/topics.jsonl"
	cat >"$1/agents/a/a.jsonl" <<-END
		{"ev":"pub","t":${t0}000000000,"mid":"f1","topic":"p2p-1","from":"a1"}
		{"ev":"ctrl","t":${t0}003000000,"mid":"f1","code":202,"seq":1}
		{"ev":"pub","t":${t0}100000000,"mid":"f0","topic":"p2p-1","from":"a1"}
		{"ev":"ctrl","t":${t0}103000000,"mid":"f0","code":202,"seq":$((rows + 1))}
	END
	echo "{\"load_start\":${t0}000000000,\"load_end\":$((t0 + 1))000000000,\"drain_end\":$((t0 + 30))000000000}" >"$1/timeline.json"
}

# collect STATUS ARG...
collect()
{
	run "$1" collect --config lab.yaml "${@:2}"
}

# within SECONDS SINCE NAME
within()
{
	[ $((SECONDS - $2)) -le "$1" ]
	ok $? "$3 in $((SECONDS - $2)) s, at most $1"
}

# persisted DIR WANT NAME: what the auditor says of f0, whose row nobody saw, and of f1.
persisted()
{
	run 0 ingest -q --store "$1.db" "$1"
	is "$(query_flat --store "$1.db" 'SELECT mid, persisted FROM message ORDER BY mid')" "$2" "$3"
}

# closing DIR CHECK: what the last `rows` line of a look-up says of its completeness.
closing()
{
	sed -n 's/.*"ev": *"rows".*"complete": *\([a-z]*\).*/\1/p' "$1"/db/check-"$2"/*.jsonl | sort -u | paste -sd ' '
}

lab_sql "CREATE DATABASE $tag; CREATE USER $tag@localhost IDENTIFIED BY '$secret';
	GRANT SELECT ON $tag.* TO $tag@localhost; GRANT PROCESS ON *.* TO $tag@localhost"
mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root "$tag" <"$top_srcdir/tests/lab/im.sql"
lab_sql -D "$tag" "INSERT INTO im_008_messages (createdat, seqid, topic, client_msg_id)
	SELECT NOW(3), seq, 'p2p-1', concat('f', seq) FROM seq_1_to_$rows"
lab_redis ACL SETUSER "$tag" on ">$secret" +info +slowlog\|get +latency +role +ping +hello >said
lab_kafka TopicCommand --create --topic "$tag" >said 2>&1
(umask 077 && echo "$secret" >password && echo wrong >wrong-password)
configuration lab.yaml
is "$(lab_sql "SELECT count(*) FROM $tag.im_008_messages")" "$rows" 'a table with rows'

echo '# the server is killed in the middle of its answer'
results killed
env "$IMPAUDIT" collect --config lab.yaml --out killed --only mysql >killed.out 2>&1 &
background=$!
rows_began()
{
	[ -n "$(find killed/db/check-1 -name 'rows*' -size +0 2>/dev/null)" ] || ! kill -0 "$background" 2>/dev/null
}
lab_until 30 rows_began
kill -STOP $background
lab_kill mariadb
kill -CONT $background
wait $background
is $? $UNAVAILABLE 'exit status'
background=
has killed.out "127.0.0.1:$LAB_MARIADB_PORT"
is "$(closing killed 1)" false 'the rows are not complete, and say so'
persisted killed 'f0,unchecked f1,exact' 'what was not looked at is not absent'
lab_start mariadb
collect 0 --out killed --only mysql
is "$(closing killed 2)" true 'the next collection is complete'
is "$(cat killed/db/check-2/*.jsonl | grep -c '"ev":"row"')" "$rows" 'with all rows'
persisted killed 'f0,absent f1,exact' 'and now it is'

echo '# Kafka hangs'
results hangs
lab_pause kafka
begin=$SECONDS
collect $UNAVAILABLE --out hangs --only kafka
within 15 "$begin" 'given up'
lab_resume kafka
# it has given up its groups meanwhile, and takes them again
kafka_is_back()
{
	"$IMPAUDIT" collect --config lab.yaml --out hangs --only kafka >again.out 2>&1
	status=$?
	[ $status -ne $UNAVAILABLE ]
}
lab_until 30 kafka_is_back
is "$status" 0 'once it is back all is there'

echo '# the database hangs, and the others are asked all the same'
lab_pause mariadb
begin=$SECONDS
collect $UNAVAILABLE --out hangs
within 20 "$begin" 'given up'
[ -n "$(find hangs/redis -name '*.info')" ]
ok $? 'Redis was asked'
lab_resume mariadb

echo '# rights and names'
results names
configuration lab.yaml '' wrong-password
collect $UNAVAILABLE --out names --only mysql
has err 'Access denied'
configuration lab.yaml im_009_messages
collect $UNAVAILABLE --out names --only mysql
has err im_009_messages
configuration lab.yaml

echo '# the collector is killed, or told to stop, while it samples'
results sampled
sample()
{
	"$IMPAUDIT" collect --config lab.yaml --out sampled --only kafka --only redis --phase load --every 100ms --until close_end >sample.out 2>&1 &
	background=$!
}
samples()
{
	[ "$(find sampled/redis -name '*.info' 2>/dev/null | wc -l)" -ge "$1" ]
}
sample
lab_until 20 samples 3
ok $? 'it samples'
tr '\0' '\n' <"/proc/$background/cmdline" | grep -Fq "$secret"
ok $((! $?)) 'no secret among its arguments'
kill -KILL $background
wait $background 2>/dev/null
persisted sampled 'f0,unchecked f1,unchecked' 'what it left can be read, and hides no gap'
before=$(find sampled/redis -name '*.info' | wc -l)
sample
lab_until 20 samples $((before + 2))
ok $? 'it samples again'
kill -TERM $background
wait $background
is $? 0 'told to stop it ends well'
background=
collect 0 --out sampled
persisted sampled 'f0,absent f1,exact' 'the next collection completes it'
(cd sampled && sha256sum -c --quiet manifest.sha256)
ok $? 'the manifest is right'

# In a network namespace, with a database of its own: rows at 2 Mbit/s, then at that until the network dies in the middle of them.
# shellcheck disable=SC2016
slow_network='
	limit() { tc qdisc replace dev lo root tbf rate "$1" burst 4kb latency 10s; }
	ip link set lo up mtu 1500 && "$1" start mariadb || exit
	. "$LAB_DIR/env"
	sed "s/address: 127.*/address: 127.0.0.1:$LAB_MARIADB_PORT/" lab.yaml >slow.yaml
	mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root <slow.sql
	limit 2mbit || exit
	timeout 60 "$IMPAUDIT" collect --config slow.yaml --only mysql --out slow >slow.out 2>&1
	echo "slow $?" >>status
	timeout 60 "$IMPAUDIT" collect --config slow.yaml --only mysql --out dead >dead.out 2>&1 &
	for ((i = 0; i < 600; i++)); do
		[ -z "$(find dead/db/check-1 -name "rows*" -size +0 2>/dev/null)" ] || break
		sleep 0.05
	done
	limit 8bit
	wait $!
	echo "dead $?" >>status
	tc qdisc del dev lo root
	"$1" remove'

echo '# a slow network'
if unshare -n sh -c 'ip link set lo up && tc qdisc add dev lo root tbf rate 1mbit burst 4kb latency 1s' 2>/dev/null; then
	results slow
	results dead
	{
		echo "CREATE DATABASE $tag; USE $tag;"
		cat "$top_srcdir/tests/lab/im.sql"
		echo "CREATE USER $tag@localhost IDENTIFIED BY '$secret'; GRANT SELECT ON $tag.* TO $tag@localhost; GRANT PROCESS ON *.* TO $tag@localhost;
			INSERT INTO im_008_messages (createdat, seqid, topic, client_msg_id) SELECT NOW(3), seq, 'p2p-1', concat('f', seq) FROM seq_1_to_20000;"
	} >slow.sql
	begin=$SECONDS
	LAB_DIR=$work/lab-slow unshare -n "$BASH" -c "$slow_network" slow "$lab" >slow.said 2>&1
	within 60 "$begin" 'done'
	is "$(paste -sd ' ' status)" "slow 0 dead $UNAVAILABLE" 'slow is no fault; silence is'
	is "$(cat slow/db/check-1/*.jsonl | grep -c '"ev":"row"') $(closing slow 1)" '20000 true' 'all rows came'
	is "$(closing dead 1)" false 'those of a network that died are not complete'
	sed 's/^/# /' slow.said slow.out dead.out
	rm slow.sql
else
	skip 'a slow network' 'no network namespace of our own is allowed here'
fi

if [ "$(id -u)" -eq 0 ] && unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
	echo '# our own disk is full'
	results full
	mkdir disk
	mv full full-run
	unshare -m "$BASH" -c "mount -t tmpfs -o size=2m none disk && cp -R full-run disk/full &&
		'$IMPAUDIT' collect --config lab.yaml --out disk/full --only mysql >full.out 2>&1"
	is $? $IOERR 'exit status'
	has full.out 'No space left on device'
	has full.out rows
else
	skip 'our own disk is full' 'no mount namespace of our own is allowed here'
fi

echo '# no secret left the configuration'
grep -rlF "$secret" --exclude=password . | sed 's/^/# in /' >leaks
[ ! -s leaks ]
ok $? 'no file has it'
cat leaks
tap_done
