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
} >/dev/null 2>&1
trap 'on_exit; lab_mend; rm -rf "$work"' EXIT

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
    - {table: im_008_messages, kind: p2p, mid: client_msg_id, seq: seqid}
  dead_letters:
    - {table: im_kafka_dead_letters, mid: client_msg_id}
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

# what the auditor makes of it
outcome()
{
	python3 - "$results/report.json" <<-'END'
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    report = json.load(f)
		p = report["total"]["persistence"]
		print(report["verdict"]["result"], "acked", report["total"]["acked"],
		    " ".join(f"{key} {p[key]}" for key in ("exact", "dead_letter", "absent", "unchecked")))
		for c in report.get("causes", []):
		    print("cause", c["id"], c["result"], c["explains"])
	END
}
run 1 audit --store "$store" "$results"
outcome >found
cat found
tap_done
