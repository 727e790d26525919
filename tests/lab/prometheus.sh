#!/bin/bash
# `impaudit collect` against a real Prometheus: ranges of more points than one answer may have, warnings, errors in the server's own
# words, a server that hangs or is gone; and what came is read by `ingest`. (Targets that misbehave: tests/cli/scrape.sh.)
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need prometheus
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
url=http://127.0.0.1:$LAB_PROMETHEUS_PORT

# config QUERY...: queries of the server, settings of it in `server`
server=
config()
{
	printf 'format: 1\ntimeout: 5s\ntries: 2\npause: 20ms\nprometheus:\n  server:\n    url: %s\n' "$url"
	[ -z "$server" ] || printf '    %s\n' "$server"
	echo '    queries:'
	printf '      - %s\n' "$@"
} >impaudit.yaml

# said WHAT KEY: the journal's values about it
said()
{
	python3 - "$1" "$2" run/collect/*.jsonl <<-'END'
		import json, sys
		lines = [json.loads(line) for name in sys.argv[3:] for line in open(name)]
		print(*[line.get(sys.argv[2]) for line in lines if line["ev"] == "collected" and line["what"] == sys.argv[1]], sep="\n")
	END
}

# new_run SECONDS [DRAIN-END]: a run that began so long ago
now=$(date +%s)
new_run()
{
	rm -rf run
	tiny_run run
	echo "{\"load_start\":$((now - $1))$ns,\"load_end\":$((now - 5))$ns${2:+,\"drain_end\":$2$ns}}" >run/timeline.json
}

# points FILE...: how many a constant has there, and whether each moment is there once, a step apart
points()
{
	python3 - "$@" <<-'END'
		import json, sys
		times = []
		for name in sys.argv[1:]:
		    with open(name, encoding="utf-8") as f:
		        for series in json.load(f)["data"]["result"]:
		            times += [round(t * 1000) for t, _ in series["values"]]
		times.sort()
		steps = {b - a for a, b in zip(times, times[1:])}
		print(len(times), *steps)
	END
}

# The server does refuse what is too much: else this would prove nothing.
is "$(curl -s "$url/api/v1/query_range?query=vector(1)&start=$((now - 30000))&end=$now&step=1" | cut -d '"' -f 4,8)" \
	'error"bad_data' 'the server refuses 30001 points at once'

new_run 24000 $((now - 120))
server='margin: 1m'
config '{name: one, query: vector(1), step: 1s}'
run 0 collect --out run --phase final
is "$(said one status | paste -sd ' ')" 'ok ok ok' 'three requests'
is "$(points run/metrics/one@*.json)" '24001 1000' 'each second once, from a minute before the load to a minute behind the drain'
is "$(said version status)" ok 'the server is asked who it is'
grep -q "\"version\": \"$(curl -s "$url/api/v1/status/buildinfo" | sed 's/.*"version":"\([^"]*\)".*/\1/')\"" run/collect/*.jsonl
ok $? 'and what it says is in the journal'
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'no damage'
is "$(query "SELECT count(DISTINCT series_no), count(*) = count(DISTINCT t) FROM metric_sample")" 1,1 'one series, no moment twice'

# It has looked at itself by now.
until curl -s "$url/api/v1/query?query=up" | grep -q '"value"'; do
	sleep 0.1
done

# a real series, an instant query, characters that must be escaped
new_run 60
server='margin: 1m'
config '{name: up, query: "up{job=~\"prom.*\"} + 0 * 1"}' '{name: raw, query: "up[2m]", instant: true}' '{name: none, query: absent_one}'
run 0 collect --out run --phase final
is "$(said up status) $(said raw status) $(said none status)" 'ok ok ok' 'queries'
said up query | grep -q 'query=up%7Bjob%3D~%22prom.%2A%22%7D%20%2B%200%20%2A%201&start='
ok $? 'escaped'
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'no damage'
is "$(query "SELECT count(DISTINCT name) FROM source WHERE kind = 'metrics' AND name = '127.0.0.1:$LAB_PROMETHEUS_PORT'")" 1 \
	'its series are of their instance'

# the server's own words
config '{name: bad, query: "rate(up"}' '{name: two, query: "up + on(x) group_left up_up{", step: 2s}' '{name: good, query: up}'
run 69 collect --out run --phase final
said bad why | grep -q '^HTTP 400: bad_data: .*parse error'
ok $? 'what is wrong with a query'
is "$(said bad status) $(said good status | tail -n 1)" 'failed ok' 'the others are asked'
has err 'bad: HTTP 400: bad_data: '
config '{name: fine, query: vector(1), step: 1ms}'
new_run 30000
run 69 collect --out run --phase final
is "$(said fine status): $(said fine why)" 'refused: more than 1000 requests of 11000 points: choose a larger step' 'too many points are not asked for'

# no timeline
rm run/timeline.json
config '{name: hour, query: vector(1), step: 60s}'
run 0 collect --out run --phase final
is "$(said hour status): $(said hour why)" 'limited: when the load began is not known: the last hour' 'without a start'
is "$(points run/metrics/hour@*.json)" '61 60000' 'the last hour'

# a server that hangs, and one that is gone
new_run 60
config '{name: one, query: vector(1)}' '{name: two, query: vector(2)}'
sed -i 's/^timeout.*/timeout: 300ms/' impaudit.yaml
lab_pause prometheus
run 69 collect --out run --phase final
lab_resume prometheus
is "$(said version status)" timeout 'a server that hangs'
is "$(said one status) $(said two why)" 'unreachable not asked: the server did not answer before' 'is not asked again and again'
sed -i "s|url: .*|url: http://127.0.0.1:1|" impaudit.yaml
new_run 60
run 69 collect --out run --phase final
is "$(said version status) $(said one status) $(said two status)" 'unreachable unreachable unreachable' 'a server that is gone'
run 69 collect --check
tap_done
