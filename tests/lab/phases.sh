#!/bin/bash
# Phases and intervals against a real server: they end by themselves, do not drift, outlive a server that stands still, and leave
# a directory that is whole whatever ended them.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need redis

printf 'format: 1\ntries: 1\ntimeout: 300ms\nredis: {address: "127.0.0.1:%s"}\n' "$LAB_REDIS_PORT" >impaudit.yaml

# mark DIR MARK SECONDS: timeline.json says that it is so far from now, and nothing else.
mark()
{
	mkdir -p "$1"
	printf '{"%s":%s%s}\n' "$2" $(($(date +%s) + $3)) "$(date +%N)" >"$1/timeline.new"
	mv "$1/timeline.new" "$1/timeline.json"
}

# asked DIR: when the server was asked for its counters, in ms since the snapshot. (Before it, it was asked who it is.)
asked()
{
	sed -n 's/.*"ev": "collected", "t": \([0-9]*\)[0-9]\{6\}, .*"what": "INFO".*/\1/p' "$1"/collect/*.jsonl |
		awk 'NR == 2 { first = $1 } NR >= 2 { print $1 - first }'
}

has_samples()
{
	[ "$(cat "$1"/collect/*.jsonl 2>/dev/null | grep -c '"what": "INFO".*"status": "ok"')" -ge "$2" ]
}

whole()
{
	(cd "$1" && sha256sum -c --quiet manifest.sha256)
	ok $? "$1: the manifest holds"
}

# an interval that ends when its mark has come
mark timed load_end 2
run 0 collect --out timed --phase load --every 200ms
whole timed
is "$(find timed/redis -name '*@load_start.info' | wc -l)" 1 'the snapshot bears the mark of the phase'
n=$(asked timed | wc -l)
ok "$([ "$n" -ge 9 ] && [ "$n" -le 13 ]; echo $?)" "two seconds of 200 ms: $n samples"
# what is due at 200, 400, ... comes then, and the tenth no later than the first
asked timed >moments
awk 'NR > 1 && NR < 10 { off = $1 - (NR - 1) * 200; if (off < -20 || off > 150) { print; bad = 1 } } END { exit bad }' moments
ok $? 'each at a multiple of the interval'

# marks are read again at each round; a timeline that is half written is none
"$IMPAUDIT" collect --out late --phase load --every 100ms >out 2>err &
pid=$!
lab_until 10 has_samples late 3
ok $? 'it samples, although nobody knows the end'
printf '{"load_e' >late/timeline.json
n=$(asked late | wc -l)
lab_until 10 has_samples late $((n + 4))
ok $? 'and goes on'
mark late load_end -1
wait $pid
is $? 0 'and ends when it is told'
whole late

# a server that stands still, and goes on
mark still load_end 3600
"$IMPAUDIT" collect --out still --phase load --every 100ms >out 2>err &
pid=$!
lab_until 10 has_samples still 2
lab_pause redis
stands()
{
	grep -q '"status": "\(timeout\|unreachable\)"' still/collect/*.jsonl
}
lab_until 10 stands
ok $? 'it is noted that there is no answer'
lab_resume redis
before=$(cat still/collect/*.jsonl | grep -c '"what": "INFO".*"status": "ok"')
lab_until 20 has_samples still $((before + 2))
ok $? 'then it is sampled again'
mark still load_end -1
wait $pid
is $? 69 'evidence has a gap'
ok "$(grep -q 'samples ([0-9]* failed)' out; echo $?)" 'of which the result tells'
whole still

# told to stop, and killed
"$IMPAUDIT" collect --out told --every 100ms >out 2>err &
pid=$!
lab_until 10 has_samples told 2
kill -TERM $pid
wait $pid
is $? 0 'told to stop: it ends well'
whole told
"$IMPAUDIT" collect --out killed --every 100ms >out 2>err &
pid=$!
lab_until 10 has_samples killed 2
kill -KILL $pid
wait $pid 2>/dev/null
ok "$([ -z "$(tail -c 1 killed/collect/*.jsonl)" ]; echo $?)" 'killed: the journal ends with a whole line'
run 0 collect --out killed
whole killed

# several at one directory
for _ in 1 2 3 4; do
	"$IMPAUDIT" collect --out together --phase baseline >/dev/null 2>&1 &
done
wait
is "$(find together/collect -name '*.jsonl' | wc -l)" 4 'four at once: a journal each'
is "$(grep -c ' collect/' together/manifest.sha256)" 4 'all in the manifest'
whole together

tap_done
