#!/bin/bash
# The whole chain: a load whose messages Kafka has and MariaDB cannot hold, because their ids are larger than an `int`; what the
# auditor finds; the column altered, the backlog drained, the dead letters replayed; what it finds then.
#
# Of 60 acked messages the first 4 fit. The consumer takes 24 in batches of 8 and stops: 4 rows, 20 dead letters, 36 in Kafka.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb redis prometheus kafka

run=chain-$$ database=chain_$$ kafka=127.0.0.1:$LAB_KAFKA_PORT
store=$work/impaudit.db results=$work/results/$run

on_exit()
{
	kill "${sampling:-}" 2>/dev/null
	lab_sql "DROP DATABASE IF EXISTS $database; DROP USER IF EXISTS $database@localhost"
	lab_kafka TopicCommand --delete --topic "$run.*"
}

pipe()
{
	timeout 60 "$top_builddir/tests/lab/pipe" "$1" --brokers "$kafka" --topic "$run" --group "$run-persist" --dead-topic "$run-dead" \
		--socket "$LAB_MARIADB_SOCKET" --database "$database" --batch 8 "${@:2}"
}

chain_run()
{
	python3 "$top_srcdir/tests/lab/chain_run.py" "$1" "$results" "${@:2}"
}

collect()
{
	run 0 collect --config impaudit.yaml --out "$results" "$@"
}

# rights: no more than docs/collect.md says
lab_sql "CREATE DATABASE $database; CREATE USER $database@localhost IDENTIFIED BY 'chain-secret-$$';
	GRANT SELECT ON $database.* TO $database@localhost; GRANT PROCESS ON *.* TO $database@localhost"
mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root "$database" <"$top_srcdir/tests/lab/im.sql"
lab_kafka TopicCommand --create --topic "$run" --partitions 1 >said && lab_kafka TopicCommand --create --topic "$run-dead" >said
ok $? 'tables and topics'
(umask 077 && echo "chain-secret-$$" >password)
cat >impaudit.yaml <<END
format: 1
mysql:
  address: 127.0.0.1:$LAB_MARIADB_PORT
  user: $database
  password: {file: password}
  database: $database
  tables:
    - pattern: im_{tenant:3}_messages
      allow: '^im_[0-9]{3}_messages\$'
      kind: p2p
      mid: client_msg_id
      expect:
        - {column: id, type: bigint}
  dead_letters:
    - table: im_kafka_dead_letters
kafka:
  bootstrap: $kafka
  groups:
    - {group: $run-persist, topics: [$run]}
  dead_letters:
    - topic: $run-dead
      mid: {json: /mid}
      error: {header: error}
      code: {header: code}
      message_topic: {json: /topic}
      state: {header: state}
redis:
  address: 127.0.0.1:$LAB_REDIS_PORT
prometheus:
  targets:
    - {source: lab, url: 'http://127.0.0.1:$LAB_PROMETHEUS_PORT/metrics'}
  server:
    url: http://127.0.0.1:$LAB_PROMETHEUS_PORT
    queries:
      - {name: up, query: up, step: 1s}
END

# the run
mkdir results && chain_run new && chain_run mark baseline_start
collect --phase baseline
chain_run mark load_start
"$IMPAUDIT" collect --config impaudit.yaml --out "$results" --phase load --every 200ms >sampling.out 2>&1 &
sampling=$!
is "$(chain_run load | pipe produce)" 'produced 60' 'a load'
is "$(pipe consume --count 24)" 'stored 4, dead letters 20, batches that failed 3' 'its consumer'
chain_run mark load_end
wait $sampling
is $? 0 'the samples ended with the load'
sampling=
collect --phase drain
chain_run mark drain_end
collect --phase final


# what was collected, as other hands read it
marks='baseline_start load_start load_end drain_end'
for mark in $marks; do
	for file in redis/main@"$mark".info metrics/lab@"$mark".prom db/status@"$mark".jsonl kafka/lag@"$mark".jsonl; do
		[ -s "$results/$file" ] || echo "$file"
	done
done >missing
is "$(cat missing)" '' 'a snapshot of every system at every mark'
[ "$(find "$results"/redis -name '*.info' | wc -l)" -ge 7 ]
ok $? 'and samples between them'
waiting()
{
	python3 -c 'import json, sys; print(sum(x["end"] - max(x["committed"], 0) for x in map(json.loads, open(sys.argv[1]))))' "$results/$1"
}
is "$(waiting kafka/lag@drain_end.jsonl)" 36 'the backlog'
(cd "$results" && sha256sum -c --quiet manifest.sha256)
ok $? 'the manifest is right'

# what the auditor makes of it
outcome()
{
	python3 - "$results/report.json" <<-'END'
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    report = json.load(f)
		stored = report["total"]["persistence"]
		print("acked", report["total"]["acked"], *(f"{key} {stored[key]}" for key in ("exact", "dead_letter", "absent", "unchecked")))
		print(*(f"{c['id']} {c['result']} {c['explains']}" for c in report["causes"] if c["explains"] > 0))
	END
}
run 1 audit --store "$store" "$results"
is "$(outcome)" "$(printf '%s\n' 'acked 60 exact 4 dead_letter 20 absent 36 unchecked 0' 'persist.id_overflow confirmed 56')" \
	'56 messages are lost, and one cause owns them all'
run 1 check-schema --config impaudit.yaml --tenant 8
has out 'im_008_messages.id'

# repaired
lab_sql "ALTER TABLE $database.im_008_messages MODIFY id bigint NOT NULL AUTO_INCREMENT"
run 0 check-schema --config impaudit.yaml --tenant 8
is "$(pipe consume)" 'stored 36, dead letters 0, batches that failed 0' 'the backlog drains'
is "$(pipe replay)" 'replayed 20, still dead 0' 'the letters are replayed'
is "$(lab_sql "SELECT count(*), count(DISTINCT client_msg_id) FROM $database.im_008_messages")" "$(printf '60\t60')" 'the table has all'
run 0 recheck --config impaudit.yaml --store "$store"
has out 'check 2 looked for 56 messages'
has out 'repaired: 56 (20 replayed from the dead letters, 36 the backlog drained)'
has out "lt-$run-m4 in p2p-1: missing at check 1, there at check 2"
has out 'im_008_messages.id: int(11) to bigint(20)'
has out 'still missing: 0'
run 1 audit --store "$store" "$results"
is "$(outcome)" "$(printf '%s\n' 'acked 60 exact 60 dead_letter 0 absent 0 unchecked 0' '')" 'every message has its row, and no failure is left to explain'
has "$results/report.md" '56 messages had no row at an earlier look-up and have one at a later one: 20 replayed from the dead letters, 36 the backlog drained.'
run 0 verify-evidence --store "$store"

grep -rlF "chain-secret-$$" --exclude=password . >leaks
is "$(cat leaks)" '' 'the password is in no file'
tap_done
