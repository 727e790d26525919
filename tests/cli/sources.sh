#!/bin/bash
# Evidence that is no ledger, from the files of a results directory to the tables of the store: metrics, lag, Redis, Kubernetes, other load
# tools. What each parser takes and refuses is in tests/unit; here is what ends up where, what it can testify to, and that damage stays
# apart from that of ledgers.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
export IMPAUDIT_STORE=s.db

ingest()
{
	"$IMPAUDIT" ingest run >out 2>err
	is $? 0 "$1"
}

# rows TABLE COLUMNS WANT WHAT
rows()
{
	is "$(query_flat "SELECT $2 FROM $1")" "$3" "$4"
}

# The load of tiny-1 lasts from t0 to t0 + 3.
tiny_run run
sed -i 's/"planned_accounts":2/"planned_accounts":2,"pods_expected":["im-1","im-0"],"build":{"metrics_expected":["m_total"]}/' run/run.json
mkdir run/metrics run/kafka run/redis run/kube run/loadgen

# -------------------------------------------------------------------- metrics

printf '# TYPE m_total counter\nm_total{b="2",a="1"} 5\nup 1\n' >run/metrics/im-0@load_start.prom
printf 'm_total{a="1",b="2",} 9\nup NaN\nnoise{\n' >run/metrics/im-0@$((t0 + 2)).prom
printf '# TYPE m_total counter\nm_total{a="1",b="2"} 3\nup 1\n' | gzip >run/metrics/im-0@load_end.prom.gz
printf '<html><body>502 Bad Gateway</body></html>\n' >run/metrics/im-1@load_end.prom
cat >run/metrics/range.json <<-END
	{"status":"success","data":{"resultType":"matrix","result":[
	{"metric":{"__name__":"lag","pod":"im-1"},"values":[[$t0,"1"],[$((t0 + 5)),"4"]]}]},"warnings":["partial answer"]}
END
ingest 'a run with metrics'
rows 'metric_series ORDER BY series_no' 'source, coalesce(pod, 0), name, labels, type' \
	'im-0,im-0,m_total,{a=1,b=2},counter im-0,im-0,up,,untyped im-1,im-1,lag,{pod=im-1},untyped' 'series'
rows "metric_sample WHERE series_no = 0 ORDER BY sample_no" "sample_no, t - ${t0}000000000, value, file, line" \
	'0,0,5,metrics/im-0@load_start.prom,2 1,2000000000,9,metrics/im-0@1790000002.prom,1 2,3000000000,3,metrics/im-0@load_end.prom.gz,2' \
	'samples of a series, by time'
rows 'metric_sample WHERE value IS NULL' 'series_no, sample_no' '1,1' 'NaN is not measured'
rows "metric_increase WHERE name = 'm_total'" 'increase, resets, first_value, last_value, covers' '7,1,5,3,1' \
	'an increase over a reset: 4, then 3 from 0'
rows "source WHERE kind = 'metrics' ORDER BY source_no" 'name, format, samples, damaged, limited' \
	'im-0,prometheus,6,1,0 im-1,prometheus,0,1,0 im-1,api,2,0,1 range,api,0,0,1' 'what metrics can testify to'
rows "damage WHERE file LIKE 'metrics/%' ORDER BY file" 'file, line, reason' \
	'metrics/im-0@1790000002.prom,3,labels without an end metrics/im-1@load_end.prom,1,a page of HTML, not metrics' 'damage with its place'
rows 'run_pod ORDER BY pod' 'pod' 'im-0 im-1' 'expected pods'
rows 'run_metric' 'name' 'm_total' 'expected metrics'

# -------------------------------------------------------------------- lag

# lag SECOND COMMITTED END [MORE]
lag()
{
	echo "{\"ev\":\"lag\",\"t\":$((t0 + $1))$ns,\"group\":\"g\",\"topic\":\"im\",\"partition\":0,\"committed\":$2,\"end\":$3${4-}}"
}
{
	lag 0 10 12 ',"lag":2,"members":3'
	lag 1 -1 12 ',"lag":0'
	lag 2 13 12
	lag 3 3 20 ',"start":10'
	lag 4 20 20
} >run/kafka/a.jsonl
{
	lag 5 900 3
	lag 6 900 4
} >run/kafka/b.jsonl
ingest 'a run with lag'
rows 'kafka_lag ORDER BY t' "coalesce(committed, 'none'), coalesce(lag, 'unknown'), coalesce(members, 0)" \
	'10,2,3 none,unknown,0 13,0,0 3,10,0 20,0,0 900,unknown,0 900,unknown,0' 'lag: plain, no commit, read order, lost records, caught up, remade'
rows "source WHERE kind = 'kafka'" "name, samples, first_t - $t0$ns, last_t - $t0$ns, longest_gap_ns, covers_load" \
	'g/im/0,7,0,6000000000,1000000000,1' 'one stream'
rows 'ingest_count' "max(CASE WHEN name = 'unknown_keys' THEN value END)" '0' 'every key of lag is known'

# -------------------------------------------------------------------- Redis, Kubernetes

printf '# Stats\r\nevicted_keys:0\r\n' >run/redis/r1@$t0.info
printf '# Stats\r\nevicted_keys:7\r\nnoise\r\n' >run/redis/r1@$((t0 + 9)).info
echo "[[3,$t0,15000,[\"AUTH\",\"hunter2\"],\"10.0.0.1:5\",\"\"]]" >run/redis/r1-slowlog.json
cat >run/kube/pods@load_end.json <<-'END'
	{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"im-0","namespace":"n"},"spec":{"containers":[{"name":"im","resources":
	{"limits":{"cpu":"1500m","memory":"1Gi"}}}]},"status":{"phase":"Running","containerStatuses":[{"name":"im","ready":true,
	"restartCount":1,"lastState":{"terminated":{"reason":"OOMKilled","exitCode":137,"finishedAt":"2026-09-21T14:13:21Z"}}}]}}]}
END
cat >run/kube/events@load_end.json <<-'END'
	{"kind":"List","items":[{"kind":"Event","involvedObject":{"kind":"Pod","name":"im-0"},"reason":"BackOff","type":"Warning","count":3,
	"lastTimestamp":"2026-09-21T14:13:21Z","message":"Back-off"}]}
END
printf 'NAME CPU(cores) MEMORY(bytes)\nim-0 250m 128Mi\nim-1 <unknown> <unknown>\n' >run/kube/top@$((t0 + 1)).txt
ingest 'a run with Redis and Kubernetes'
rows 'redis_info ORDER BY info_no' "source, t - $t0$ns, name, value, line" 'r1,0,evicted_keys,0,2 r1,9000000000,evicted_keys,7,2' 'INFO'
rows 'redis_slow' 'id, duration_us, command, client' '3,15000,AUTH [redacted],10.0.0.1:5' 'SLOWLOG without the password'
rows 'kube_container' 'pod, container, ready, restarts, cpu_limit, memory_limit, last_reason, last_exit' 'im-0,im,1,1,1.5,1073741824,OOMKilled,137' \
	'a container'
rows 'kube_event' "t - $t0$ns, reason, name, n" '1000000000,BackOff,im-0,3' 'an event'
rows 'kube_usage' "t - $t0$ns, pod, cpu, memory, line" '1000000000,im-0,0.25,134217728,2' 'kubectl top'
rows "source WHERE kind IN ('redis', 'kube') ORDER BY kind, name" 'kind, name, samples, damaged, limited' \
	'kube,events,1,0,0 kube,pods,1,0,0 kube,usage,1,0,0 redis,r1,2,1,0' 'what they can testify to'
is "$(grep -c hunter2 s.db)" 0 'the password is not in the store'

# -------------------------------------------------------------------- other load tools

echo '{"metrics":{"dropped_iterations":{"count":41,"rate":0.68},"q":{"p(95)":9,"thresholds":{"p(95)<5":true}}},"root_group":{}}' >run/loadgen/k6.json
printf '[{"ts":"2026-09-21T14:13:20","cpu_pct":71.5},\n{"ts":"2026-09-21T14:13:22","cpu_pct":3}]' >run/loadgen/gen-1.json
{
	echo '{"metric":"iterations","type":"Point","data":{"time":"2026-09-21T14:13:21.5Z","value":1,"tags":{}}}'
	printf '{"metric":"iterations","ty'
} | gzip >run/loadgen/raw.json.gz
echo 'Running 30s test' >run/loadgen/wrk.txt
ingest 'a run with other load tools'
rows "loadgen_metric WHERE source = 'k6' ORDER BY metric_no" 'name, stat, value' \
	'dropped_iterations,count,41 dropped_iterations,rate,0.68 q,p(95),9 q,threshold:p(95)<5,1' 'a summary of k6'
rows "host_sample WHERE source = 'gen-1' AND name = 'cpu_pct'" "point, coalesce(t, 'no zone'), value, line" '0,no zone,71.5,1 1,no zone,3,2' \
	'health samples'
rows "host_sample WHERE source = 'raw' AND name = 'iterations'" "point, t - $t0$ns, value" '0,1000000000,1' 'raw output by the second'
rows "source WHERE file LIKE 'loadgen/%' ORDER BY name" 'kind, name, format, samples, cut, damaged' \
	'health,gen-1,health,2,0,0 loadgen,k6,k6-export,2,0,0 loadgen,raw,k6-raw,1,1,1 loadgen,wrk,,0,0,0' 'what they can testify to'

# -------------------------------------------------------------------- all of it

rows 'ingest_count' "max(CASE WHEN name = 'rejected' THEN value END), max(CASE WHEN name = 'lines' THEN value END)" '0,29' \
	'lines and damage of ledgers are counted apart'
rows 'source' 'count(*) = count(DISTINCT source_no), min(source_no)' '1,0' 'every stream has its number'
query_flat 'SELECT * FROM source' >first
query_flat 'SELECT * FROM metric_sample' >>first
touch run/run.json
ingest 'the same run again'
query_flat 'SELECT * FROM source' >second
query_flat 'SELECT * FROM metric_sample' >>second
cmp -s first second
ok $? 'gives the same'
"$IMPAUDIT" ingest --store small.db --memory 32M run >out 2>err
is $? 0 'with little memory'
is "$("$IMPAUDIT" sql --store small.db --format csv 'SELECT * FROM metric_sample' | sed 1d | tr -d '"\r' | paste -sd ' ')" "$(tail -n 1 first)" 'too'

# Files that are nothing at all end no ingest.
for f in metrics/a.prom metrics/a.json redis/a.info redis/a-slowlog.json kube/a.json kube/top.txt loadgen/a.json kafka/a.jsonl; do
	seq 1 1000 | gzip -n | tail -c +11 >run/$f
done
ingest 'a run of noise'

tap_done
