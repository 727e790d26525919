#!/bin/bash
# `impaudit collect` asks processes for their metrics: good ones, busy ones, and those that answer with something else or not at all.

. "${top_srcdir:?}/tests/lib/cli.sh"
. "$top_srcdir/tests/lib/tls.sh"
trap 'end_servers; rm -rf "$work"' EXIT
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

make_ca ca
make_ca other
make_cert server ca IP:127.0.0.1,DNS:localhost
make_cert elsewhere ca DNS:elsewhere
targets=$top_srcdir/tests/lab/metrics-targets.py
serve plain python3 "$targets"
serve tls python3 "$targets" --cert server.crt --key server.key
serve named python3 "$targets" --cert elsewhere.crt --key elsewhere.key
url=http://127.0.0.1:${plain_port:?}

# target SOURCE URL [SETTING]: one target of the configuration
target()
{
	echo "    - {source: $1, url: '$2'${3:+, $3}}"
}

# config TARGET...: the configuration, limits in the variable `limits`
limits='{timeout: 1s, pause: 20ms}'
config()
{
	printf 'format: 1\nprometheus:\n  targets:\n%s\n' "$*"
	echo "$limits" | tr -d '{}' | tr ',' '\n' | sed 's/^ */  /'
}

# collect STATUS TARGET...: into a new run
collect()
{
	local status=$1
	shift
	rm -rf run
	mkdir run
	config "$@" >impaudit.yaml
	run "$status" collect --out run --phase baseline
	cat run/collect/*.jsonl >journal 2>/dev/null
}

# said SOURCE KEY: the journal's value about the metrics of a source
said()
{
	python3 - "$1" "$2" <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open("journal")]
		print(*[line.get(sys.argv[2]) for line in lines if line["ev"] == "collected" and line["source"] == sys.argv[1]], sep="\n")
	END
}

# what comes is kept as it is
collect 0 "$(target im-0 "$url/metrics")
$(target im-1 "$url/gzip")"
is "$(cat run/metrics/im-0@baseline_start.prom)" "$(cat run/metrics/im-1@baseline_start.prom)" 'what was compressed is unpacked'
has run/metrics/im-0@baseline_start.prom 'im_queue_full_total{queue="topic",pod="im-0"} 7'
is "$(said im-0 status) $(said im-0 n) $(said im-0 file) $(said im-0 query)" "ok 2 metrics/im-0@baseline_start.prom $url/metrics" 'the journal'
has plain.log 'GET /metrics accept: text/plain;version=0.0.4,'
is "$(sort -k 2 run/manifest.sha256 | awk '{ print $2 }' | paste -sd ' ')" \
	"$(cd run && find collect metrics -type f | sort | paste -sd ' ')" 'the manifest has the files'

# busy for a while
collect 0 "$(target busy "$url/busy")"
is "$(said busy status) $(said busy tries)" 'ok 3' '503 twice, and then fine'
limits='{timeout: 2s, pause: 20ms}'
collect 0 "$(target full "$url/full")"
is "$(said full status) $(said full tries)" 'ok 3' '429 twice, and then fine'
python3 -c 'import json; exit(not any(json.loads(l).get("ns", 0) >= 2e9 for l in open("journal")))'
ok $? 'two pauses of the second that it asked for'
collect 69 "$(target later "$url/later")"
is "$(said later status) $(said later tries)" 'failed 1' 'a pause of an hour is not made'
has err 'later: HTTP 503: the server asks for a pause of 3600 s'
limits='{timeout: 1s, tries: 1}'
collect 69 "$(target x "http://127.0.0.1:$plain_port/absent")
$(target busy "$url/metrics")"
is "$(said x status): $(said x why)" 'failed: HTTP 404: not found' 'the words of a refusal'
is "$(said busy status)" ok 'the others are asked all the same'

# what comes is something else
limits='{timeout: 2s, tries: 2, pause: 20ms, answer_max: 4M}'
collect 69 "$(target page "$url/page")
$(target bomb "$url/bomb")
$(target large "$url/large?300")
$(target cut "$url/cut")
$(target away "$url/away")
$(target hang "$url/hang")
$(target gone http://127.0.0.1:1/metrics)
$(target fine "$url/metrics")"
is "$(said page status): $(said page why)" 'failed: a page of HTML, not metrics' 'a page'
is "$(said bomb status): $(said bomb why)" 'limited: larger than 4194304 bytes' '64 MiB in a few kB'
is "$(said large status): $(said large why)" 'limited: larger than 4194304 bytes' '300 MiB'
is "$(said cut status) $(said cut tries)" 'unreachable 2' 'an answer that breaks off'
is "$(said away status): $(said away why)" 'failed: HTTP 302' 'a redirection is not followed'
is "$(said hang status) $(said hang tries)" 'timeout 2' 'no answer'
is "$(said gone status) $(said gone tries)" 'unreachable 2' 'nobody there'
is "$(cd run/metrics && ls)" fine@baseline_start.prom 'only metrics are kept'

# certificates
limits='{timeout: 2s, tries: 1}'
collect 69 "$(target good "https://127.0.0.1:${tls_port:?}/metrics" "ca: ca.crt")
$(target host "https://localhost:$tls_port/metrics" "ca: ca.crt")
$(target system "https://127.0.0.1:$tls_port/metrics")
$(target other "https://127.0.0.1:$tls_port/metrics" "ca: other.crt")
$(target name "https://127.0.0.1:${named_port:?}/metrics" "ca: ca.crt")
$(target open "https://127.0.0.1:$named_port/metrics" "insecure: true")"
is "$(for s in good host system other name open; do said $s status; done | paste -sd ' ')" \
	'ok ok unreachable unreachable unreachable ok' 'the authority and the name must fit, unless that is said'
said other why | grep -qi certificate
ok $? 'the reason is the certificate'
has journal 'certificate not checked'

# credentials
echo token-of-metrics >token
chmod 600 token
export METRICS_PASSWORD=pass-of-metrics
collect 0 "$(target token "$url/private" "token: {file: token}")
$(target basic "$url/private" "user: impaudit, password: {env: METRICS_PASSWORD}")
$(target none "$url/private")"
is "$(said token status) $(said basic status) $(said none status)" 'ok ok denied' 'who may, and who may not'
collect 69 "$(target token "http://127.0.0.1:1/private" "token: {file: token}")
$(target basic "http://127.0.0.1:1/private" "user: impaudit, password: {env: METRICS_PASSWORD}")"
! grep -rq 'token-of-metrics\|pass-of-metrics\|aW1wYXVkaXQ6' run out err
ok $? 'no secret is in a file or a message'
chmod 640 token
collect 65 "$(target token "$url/private" "token: {file: token}")"
has err 'others may read or write'

# words of an answer
serve again python3 "$targets"
collect 69 "$(target busy "http://127.0.0.1:${again_port:?}/busy")"
is "$(said busy why)" 'HTTP 503: try again\x1b[31m password=[redacted]' 'made harmless'

# a server that answers, but not with all
cat >impaudit.yaml <<END
format: 1
prometheus:
  server:
    url: $url
    queries: [{name: good, query: good}, {name: warned, query: warned}, {name: failed, query: failed}, {name: torn, query: torn}]
END
rm -rf run && tiny_run run
echo "{\"load_start\":$t0$ns,\"load_end\":$((t0 + 3))$ns,\"drain_end\":$((t0 + 33))$ns}" >run/timeline.json
run 69 collect --out run --phase final
cat run/collect/*.jsonl >journal
is "$(python3 -c "
import json
for line in map(json.loads, open('journal')):
    if line['ev'] == 'collected':
        print(line['what'], line['status'], line.get('why'), sep=': ')")" 'version: failed: HTTP 404: not found
good: ok: None
warned: limited: the server warns: a store is away
failed: failed: internal: a store is away: password=[redacted]
torn: failed: not an answer of Prometheus (application/json)' 'answers of a server'
has err 'failed: internal: a store is away'
is "$(find run/metrics -type f -printf '%f\n' | sed 's/@.*//' | sort | paste -sd ' ')" 'good warned' 'answers are kept, errors are not'
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'no damage'
is "$(query "SELECT limited FROM source WHERE name = 'im-0' AND kind = 'metrics'")" 1 'a warning bounds what the series show'

# nothing but who is there
config "$(target im-0 "$url/metrics")
$(target gone http://127.0.0.1:1/)" >impaudit.yaml
run 69 collect --check
has err 'gone: '

# the plan of the tiny run, and these snapshots: evidence without damage
rm -rf run && tiny_run run
limits='{timeout: 2s}'
config "$(target im-0 "$url/metrics")" >impaudit.yaml
for _ in 1 2; do
	run 0 collect --out run --phase final
done
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'no damage either'
is "$(query "SELECT count(*) FROM source WHERE kind = 'metrics' AND name = 'im-0'")" 1 'one source'
is "$(query "SELECT min(value), max(value) FROM metric_sample")" 7,42 'and its samples'
tap_done
