#!/bin/bash
# The journal of a collector (docs/ledger.md, section 12): what it becomes in the store and in reports, and what an answer that was cut
# off means for the source that it filled.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
export IMPAUDIT_STORE=s.db

ingest()
{
	"$IMPAUDIT" ingest -q run >out 2>err
	is $? 0 "$1"
}

# rows TABLE COLUMNS WANT WHAT
rows()
{
	is "$(query_flat "SELECT $2 FROM $1")" "$3" "$4"
}

# asked SECOND SYSTEM WHAT STATUS [MORE]
asked()
{
	echo "{\"ev\":\"collected\",\"t\":$((t0 + $1))$ns,\"phase\":\"final\",\"system\":\"$2\",\"source\":\"main\",\"what\":\"$3\",\"status\":\"$4\"${5-}}"
}

# server SECOND ID ROLE [PHASE]
server()
{
	echo "{\"ev\":\"server\",\"t\":$((t0 + $1))$ns,\"phase\":\"${4-final}\",\"system\":\"mysql\",\"source\":\"main\",\"address\":\"127.0.0.1:3306\",\"version\":\"10.11.6-MariaDB\",\"id\":\"$2\",\"role\":\"$3\"}"
}

tiny_run run
sed -i 's/"systems":\["mysql"\]/"systems":["mysql","redis"]/' run/run.json
mkdir run/collect run/kafka run/redis run/metrics run/kube
{
	server 40 one primary
	asked 41 mysql 'rows of messages' ok ',"query":"SELECT 1 WHERE password=hunter2","file":"db/rows.jsonl","ns":1500,"n":2,"tries":1'
	asked 42 mysql 'dead letters' denied ',"why":"SELECT on im.dead","ns":7,"tries":1'
	asked 43 mysql 'dead letters' denied ',"why":"SELECT on im.dead","ns":7,"tries":1'
} >run/collect/$((t0 + 40)).jsonl
{
	server 90 two replica recheck
	asked 91 kubernetes events denied ',"why":"list events in namespace im"'
	echo '{"ev":"server","t":1,"system":"redis"}'
} >run/collect/$((t0 + 90)).jsonl
ingest 'a run with journals'
rows 'collected ORDER BY request_no' "(t - ${t0}$ns) / 1000000000, system, what, status, coalesce(n, -1), line" \
	'41,mysql,rows of messages,ok,2,2 42,mysql,dead letters,denied,-1,3 43,mysql,dead letters,denied,-1,4 91,kubernetes,events,denied,-1,2' \
	'every request'
rows "collected WHERE status = 'ok'" 'query, target, ns, tries, file' \
	"SELECT 1 WHERE password=[redacted],db/rows.jsonl,1500,1,collect/$((t0 + 40)).jsonl" 'one of them, without its secret'
rows 'server_identity ORDER BY server_no' 'system, coalesce(id, 0), coalesce(role, 0), other, lags' \
	'mysql,one,primary,0,0 mysql,two,replica,1,1 redis,0,0,0,0' 'who answered: another server, and a replica'
rows "file WHERE kind = 'collect'" 'records, rejected' '4,0 3,0' 'journals are files with records'

run 0 report --format md -o r.md
has r.md "| mysql | \`main\` | \`127.0.0.1:3306\` | \`10.11.6-MariaDB\` | \`one\` | \`primary\` | 2026-09-21T14:14:00.000Z | 2026-09-21T14:14:00.000Z | 3 | 2 | collect/1790000040.jsonl:1 |"
has r.md '**another server** than the one that was asked before; a replica: its rows may be behind (collect/1790000090.jsonl:1)'
has r.md "- mysql \`main\`, dead letters: **denied**, SELECT on im.dead, 2 times (collect/1790000040.jsonl:3)"
has r.md "- kubernetes \`main\`, events: **denied**, list events in namespace im (collect/1790000090.jsonl:2)"
run 0 report --format json -o r.json
is "$(python3 -c '
import json
r = json.load(open("r.json"))
print(*((s["system"], s["id"], s["requests"], s["failed"], s["other_than_before"], s["may_lag"], s["line"]) for s in r["servers"]))
c = r["collected"]
print(c["not_all_got"], c["listed"], *((x["system"], x["what"], x["status"], x["times"], x["answer"], x["file"], x["line"]) for x in c["requests"]))')" \
	"('kubernetes', None, 1, 1, False, False, None) ('mysql', 'one', 3, 2, False, False, 1) ('mysql', 'two', None, None, True, True, 1) ('redis', None, 0, 0, False, False, 3)
2 2 ('kubernetes', 'events', 'denied', 1, None, 'collect/1790000090.jsonl', 2) ('mysql', 'dead letters', 'denied', 2, None, 'collect/1790000040.jsonl', 3)" \
	'the JSON report'
run 0 verify-evidence
has out 'collect/1790000040.jsonl: 3 references'

# -------------------------------------------------------------------- what was cut off

for t in 0 5; do
	echo "{\"ev\":\"lag\",\"t\":$((t0 + t))$ns,\"group\":\"g\",\"topic\":\"im\",\"partition\":0,\"committed\":1,\"end\":1}"
done >run/kafka/lag.jsonl
printf 'evicted_keys:0\r\n' | tee run/redis/r@load_start.info >run/redis/r@load_end.info
printf 'm_total 1\n' | tee run/metrics/im-0@load_start.prom >run/metrics/im-0@load_end.prom
echo '{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"im-0"},"spec":{"containers":[{"name":"c","image":"i"}]}}]}' |
	tee run/kube/pods@load_start.json >run/kube/pods@load_end.json
echo "{\"ev\":\"status\",\"t\":$((t0 + 0))$ns,\"name\":\"Uptime\",\"value\":\"1\"}" >run/db/status.jsonl
mkdir run/logs
{
	echo '2026-09-21T14:13:19.000000000Z stdout F begins'
	echo '2026-09-21T14:13:30.000000000Z stdout F ends'
} >run/logs/im-0.log
rows_of_sources()
{
	query_flat "SELECT kind, cut, limited FROM source WHERE kind IN ('kafka', 'kube', 'log', 'metrics', 'mysql', 'redis') ORDER BY kind"
}
ingest 'evidence of all kinds'
is "$(rows_of_sources)" 'kafka,0,0 kube,0,0 log,0,0 metrics,0,0 mysql,0,0 redis,0,0' 'all of it is whole'
i=100
for file in kafka/lag.jsonl kube/pods@load_end.json logs/im-0.log metrics/im-0@load_end.prom db/status.jsonl redis/r@load_end.info; do
	asked $((i++)) any "$file" unreachable ",\"file\":\"$file\""
done >run/collect/cut.jsonl
ingest 'the requests behind it broke off'
is "$(rows_of_sources)" 'kafka,1,0 kube,1,0 log,1,0 metrics,1,0 mysql,1,0 redis,1,0' 'each source is cut'
rows "source WHERE kind = 'log'" 'note, covers_load' 'the request for it did not come to its end,0' 'a log says why'
sed -i 's/unreachable/limited/' run/collect/cut.jsonl
gzip run/metrics/im-0@load_end.prom
ingest 'they were cut at a limit'
is "$(rows_of_sources)" 'kafka,0,1 kube,0,1 log,0,1 metrics,0,1 mysql,0,1 redis,0,1' 'each source is limited, compressed since or not'
i=200
for file in kafka/lag.jsonl kube/pods@load_end.json logs/im-0.log metrics/im-0@load_end.prom db/status.jsonl redis/r@load_end.info; do
	asked $((i++)) any "$file" ok ",\"file\":\"$file\""
done >run/collect/again.jsonl
ingest 'the same requests later'
is "$(rows_of_sources)" 'kafka,0,0 kube,0,0 log,0,0 metrics,0,0 mysql,0,0 redis,0,0' 'of equal requests the last tells'
asked 300 any another timeout ',"file":"kafka/lag.jsonl"' >>run/collect/again.jsonl
asked 301 any nothing timeout ',"file":"no/such/file"' >>run/collect/again.jsonl
ingest 'another request for a part of it'
is "$(rows_of_sources)" 'kafka,1,0 kube,0,0 log,0,0 metrics,0,0 mysql,0,0 redis,0,0' 'counts for itself'

# -------------------------------------------------------------------- LATENCY and InnoDB

cat >run/redis/r-latency@$((t0 + 60)).json <<-END
	{"latency":[
	{"event":"command","time":$((t0 + 2)),"latest_ms":150,"max_ms":151,"history":[[$((t0 + 1)),12],[$((t0 + 2)),150]]}]}
END
{
	echo "{\"ev\":\"innodb\",\"t\":$((t0 + 60))$ns,\"server\":\"main\",\"history_length\":12,\"deadlock_t\":$((t0 + 2))$ns,\"deadlock\":\"user x password=hunter2\"}"
	echo "{\"ev\":\"innodb\",\"t\":$((t0 + 61))$ns}"
} >>run/db/status.jsonl
ingest 'spikes and InnoDB'
rows 'redis_latency ORDER BY spike_no' "source, (t - ${t0}$ns) / 1000000000, event, duration_ns / 1000000, max_ns / 1000000, line" \
	'r,1,command,12,151,2 r,2,command,150,151,2' 'spikes of Redis'
rows "source WHERE kind = 'redis'" 'name, samples' 'r,2' 'of the instance that INFO is of'
rows 'db_innodb ORDER BY look_no' "coalesce(server, 0), coalesce(history_length, 0), coalesce((deadlock_t - ${t0}$ns) / 1000000000, 0), coalesce(deadlock, 0)" \
	'main,12,2,user x password=[redacted] 0,0,0,0' 'what InnoDB says, without a secret'
run 0 report --format md -o r.md
has r.md "\`redis.spike\` (confirmed): Redis stood still for a moment. 1 spikes of 100 ms or more within the load, the longest 150.0 ms"
tap_done
