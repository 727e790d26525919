#!/bin/bash
# Kafka: lag of groups, members, dead letters; what is missing, forbidden, hung or gone is said and never looks like nothing there.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need kafka

# names of this process
n=test-$$
lines=im.$n.persist dead=im.$n.dead tail=im.$n.tail

# make TOPIC PARTITIONS [OPTION...]
make()
{
	lab_kafka TopicCommand --create --topic "$1" --partitions "$2" --replication-factor 1 "${@:3}" >said 2>&1 ||
		{ cat said; echo "Bail out! no topic $1"; exit 1; }
}

# produce TOPIC [OPTION...] <LINES
produce()
{
	lab_kafka ConsoleProducer --topic "$1" "${@:2}" >said 2>&1
}

# consume GROUP TOPIC COUNT [OPTION...]: read and commit so many
consume()
{
	lab_kafka consumer.ConsoleConsumer --topic "$2" --group "$1" --from-beginning --max-messages "$3" --timeout-ms 20000 \
		"${@:4}" >consumed 2>&1
}

# config FILE PORT: the rest comes from standard input
config()
{
	{
		printf 'format: 1\ntimeout: 2s\ntries: 2\nkafka:\n  bootstrap: 127.0.0.1:%s\n' "$2"
		cat
	} >"$1"
}

# results NAME: an empty directory of a run
results()
{
	mkdir "$1"
	echo '{"format":1,"run_id":"r","client_mid_prefix":"lt-1-"}' >"$1/run.json"
}

# lag FILE GROUP KEY...: values of its lines, by topic and partition
lag()
{
	python3 - "$@" <<-'END'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		for r in sorted((r for r in rows if r["group"] == sys.argv[2]), key=lambda r: (r["topic"], r["partition"])):
		    print(*(r.get(k, "-") for k in sys.argv[3:]))
	END
}

make "$lines" 2
make "$dead" 2
make "$tail" 1
seq 1 30 | produce "$lines"
# TAB stands between the headers and the value
printf '%s\t%s\n' "mid:lt-1-a,error:Error 1264: Out of range value for column 'id'" '{"topic":"p2p-1"}' \
	'mid:lt-1-b,error:Error 1264: Out of range,state:replayed' '{"topic":"p2p-2"}' 'mid:lt-2-c,error:x' '{}' |
	produce "$dead" --property parse.headers=true
consume "$n-half" "$lines" 20
consume "$n-all" "$lines" 30
consume "$n-new" "$lines" 25 --consumer-property group.protocol=consumer

config whole.yaml "$LAB_KAFKA_PORT" <<END
  groups:
    - {group: $n-half}
    - {group: $n-all, topics: [$lines]}
    - {group: $n-none, topics: [$lines]}
    - {group: $n-new}
  dead_letters:
    - topic: $dead
      mid: {header: mid}
      error: {header: error}
      code: {header: error, match: 'Error (\d+)'}
      message_topic: {json: /topic}
      state: {header: state, replayed: replayed}
END

# everything, and what Kafka's own tool says of it
results whole
run 0 collect --config whole.yaml --out whole --phase final
lab_kafka consumer.group.ConsumerGroupCommand --describe --group "$n-half" 2>said |
	awk -v g="$n-half" '$1 == g { print $3, $4, $5, $6 }' | sort -n >tool
lag whole/kafka/lag@drain_end.jsonl "$n-half" partition committed end lag >ours
cmp -s tool ours
ok $? "lag is what Kafka's tool shows"
is "$(awk '{ n += $4 } END { print n }' ours)" 10 'of which 10 are behind'
is "$(lag whole/kafka/lag@drain_end.jsonl "$n-all" lag members | sort -u)" '0 0' 'another group has nothing left, and no members'
is "$(lag whole/kafka/lag@drain_end.jsonl "$n-none" committed lag members | sort -u)" '-1 - -' 'nothing is known of one that never committed'
is "$(lag whole/kafka/lag@drain_end.jsonl "$n-new" lag | awk '{ n += $1 } END { print n }')" 5 'a group of the new protocol'
is "$(sort whole/db/check-1/dead-kafka.jsonl | sed 's/"t": [0-9]*/"t": T/')" \
	'{"ev": "dead", "t": T, "mid": "lt-1-a", "error": "Error 1264: Out of range value for column '\''id'\''", "code": 1264, "topic": "p2p-1", "kafka_topic": "'"$dead"'", "state": "dead", "check": 1}
{"ev": "dead", "t": T, "mid": "lt-1-b", "error": "Error 1264: Out of range", "code": 1264, "topic": "p2p-2", "kafka_topic": "'"$dead"'", "state": "replayed", "check": 1}' \
	'dead letters of this run'
has whole/db/check-1/deads.jsonl '"complete": true, "count": 2'
grep -hq '"why": "left out, as of other messages: 1"' whole/collect/*.jsonl
ok $? 'that of another is counted'
cluster=$(sed -n 's/^cluster\.id=//p' "$LAB_DIR/kafka/data/meta.properties")
grep -hq "\"ev\": \"server\".*\"id\": \"$cluster\", \"role\": \"1 broker, controller 1\"" whole/collect/*.jsonl
ok $? 'the journal says who answered'

# a member; nothing of what we did is in the group
lab_kafka consumer.ConsoleConsumer --topic "$lines" --group "$n-all" >consumed 2>&1 &
consumer=$!
has_member()
{
	rm -rf member && results member && "$IMPAUDIT" collect --config whole.yaml --out member --phase load >out 2>err &&
		[ "$(lag member/kafka/lag@load_start.jsonl "$n-all" members | sort -u)" = 1 ]
}
lab_until 30 has_member
ok $? 'a consumer is a member'
pkill -KILL -P "$consumer" # the tool itself: what stands before it is a shell
wait "$consumer" 2>/dev/null

lab_kafka consumer.group.ConsumerGroupCommand --describe --group "$n-half" 2>said |
	awk -v g="$n-half" '$1 == g { print $3, $4, $5, $6 }' | sort -n | cmp -s - tool
ok $? 'and the offsets that were committed are as they were'

# samples, up to the drain
results drain
(
	sleep 2
	consume "$n-half" "$lines" 10
) &
sed "/$n-none/d; /$n-new/d" whole.yaml >drain.yaml
run 0 collect --config drain.yaml --out drain --phase drain --every 250ms --until drained
wait $!
file=$(ls drain/kafka/*.jsonl)
is "$(lag "$file" "$n-half" lag | awk '{ n = $1 > n ? $1 : n } END { print n }')" 10 'the backlog was seen'
is "$(tail -n 4 "$file" | grep -c '"lag": 0')" 4 'and its end'

# a partition that ends with the marker of a transaction, not with a record
echo '{"m":"lt-1-t"}' >payload
java -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$LAB_KAFKA_LIB/*" org.apache.kafka.tools.ProducerPerformance \
	--producer-props "bootstrap.servers=127.0.0.1:$LAB_KAFKA_PORT" --topic "$tail" --num-records 3 --payload-file payload \
	--throughput -1 --transactional-id "$n" --transaction-duration-ms 1 >said 2>&1
config tail.yaml "$LAB_KAFKA_PORT" <<END
  dead_letters: [{topic: $tail, mid: {json: /m}}]
END
results tail
run 0 collect --config tail.yaml --out tail
is "$(lab_kafka GetOffsetShell --topic "$tail" 2>said | cut -d: -f3 | awk '{ print ($1 > 3) }')" 1 'offsets without records'
is "$(wc -l <tail/db/check-1/dead-kafka.jsonl)" 3 'are read over'
has tail/db/check-1/deads.jsonl '"complete": true'

# what is not there stays so
config missing.yaml "$LAB_KAFKA_PORT" <<END
  groups: [{group: $n-all, topics: [$n-missing]}, {group: $n-stranger}]
  dead_letters: [{topic: $n-missing-dead, mid: {key: true}}, {topic: $dead, mid: {header: mid}}]
END
results missing
run 69 collect --config missing.yaml --out missing
has err 'Unknown topic or partition'
has missing/db/check-1/deads.jsonl '"complete": false, "count": 2'
grep -hq "\"what\": \"lag of group $n-stranger\".*\"status\": \"limited\".*has committed no offsets" missing/collect/*.jsonl
ok $? 'a group that nobody knows'
is "$(lab_kafka TopicCommand --list 2>said | grep -c "$n-missing")" 0 'no topic was made'
is "$(lab_kafka consumer.group.ConsumerGroupCommand --list 2>said | grep -c -e impaudit -e "$n-stranger")" 0 'no group was joined'

# records without a mid
sed 's/header: mid/header: none/' whole.yaml >unread.yaml
results unread
run 65 collect --config unread.yaml --out unread
has err "3 of 3 records of topic $dead have no mid"
has unread/db/check-1/deads.jsonl '"complete": false'

# least rights: as docs/collect.md says
account()
{
	config account.yaml "$LAB_KAFKA_SASL_PORT" <<-END
		  properties: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN, sasl.username: audit, sasl.password: {env: T_PASSWORD}}
		  groups: [{group: $n-half, topics: [$lines]}]
		  dead_letters: [{topic: $dead, mid: {header: mid}}]
	END
}
account
results wrong
T_PASSWORD=geheim-$$ run 69 collect --config account.yaml --out wrong
has err 'Authentication failed'
! grep -rq "geheim-$$" wrong out err
ok $? 'without the password'
results denied
T_PASSWORD=lab-audit run 69 collect --config account.yaml --out denied
for right in "DESCRIBE on topic $lines" "READ and DESCRIBE on topic $dead"; do
	grep -hq "\"status\": \"denied\", \"why\": \"$right\"" denied/collect/*.jsonl
	ok $? "denied: $right"
done
# acl OPTION...: of the account
acl()
{
	lab_kafka AclCommand --allow-principal User:audit "$@" >said 2>&1
}
acl --add --operation Describe --topic "$lines"
results group
T_PASSWORD=lab-audit run 69 collect --config account.yaml --out group
grep -hq "\"status\": \"denied\", \"why\": \"DESCRIBE on group $n-half\"" group/collect/*.jsonl
ok $? "denied: the group"
acl --add --operation Describe --group "$n-half"
acl --add --operation Read --topic "$dead"
results least
T_PASSWORD=lab-audit run 0 collect --config account.yaml --out least
is "$(lag least/kafka/lag@*.jsonl "$n-half" lag members | sort -u)" '0 0' 'with these rights all is there'
has least/db/check-1/deads.jsonl '"complete": true, "count": 2'

# nobody there; a broker that hangs; one that comes back in time
config port.yaml 1 </dev/null
results port
run 69 collect --config port.yaml --out port
has err 'Connection refused'
lab_pause kafka
results hung
run 69 collect --config whole.yaml --out hung
has err 'no answer in time'
has hung/db/check-1/deads.jsonl '"complete": false, "count": 0'
[ ! -e hung/kafka ]
ok $? 'no lag is claimed'
(
	sleep 1
	lab_resume kafka
) &
results back
run 0 collect --config whole.yaml --out back
wait $!
has back/db/check-1/deads.jsonl '"complete": true, "count": 2'

for topic in "$lines" "$dead" "$tail"; do
	lab_kafka TopicCommand --delete --topic "$topic" >said 2>&1
done
acl --remove --force --topic "$lines"
acl --remove --force --topic "$dead"
acl --remove --force --group "$n-half"
tap_done
