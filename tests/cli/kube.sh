#!/bin/bash
# `impaudit collect` asks a Kubernetes API server (tests/lab/kube-api.py): lists in pages, logs since the load, rights that are missing, an
# API server that is slow, ill, cut off or another one; and what came is read by `ingest`.

. "${top_srcdir:?}/tests/lib/cli.sh"
. "$top_srcdir/tests/lib/tls.sh"
trap 'end_servers; rm -rf "$work"' EXIT
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY KUBECONFIG KUBERNETES_SERVICE_HOST
export HOME=$work

make_ca ca
make_ca other
make_cert server ca IP:127.0.0.1,DNS:localhost
make_cert elsewhere ca DNS:api.im
make_cert impaudit ca DNS:impaudit
api=$top_srcdir/tests/lab/kube-api.py

# What the cluster has: im-0 with an init container and one that was restarted, im-1 that is starting, one pod that is not selected,
# 1203 events, secrets in several places.
mkdir -p state/logs/im-0 state/logs/im-1 state/logs/other-0
python3 - state $t0 <<'END'
import datetime, json, os, sys

folder, t0 = sys.argv[1], int(sys.argv[2])

def at(s, digits=9):
    t = datetime.datetime.fromtimestamp(t0 + int(s), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return t + (f".{round((s - int(s)) * 1e9):09d}"[:digits + 1] if digits else "") + "Z"

def pod(name, app, restarts, init=False):
    containers = [{"name": "im", "image": "im:75bb448", "command": ["im", "--password", "geheim-1"],
                   "env": [{"name": "DSN", "value": "geheim-2"}, {"name": "PW", "valueFrom": {"secretKeyRef": {"name": "db", "key": "pw"}}}],
                   "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}}}]
    spec = {"nodeName": "node-1", "containers": containers}
    if init:
        spec["initContainers"] = [{"name": "wait", "image": "busybox"}]
    return {"metadata": {"name": name, "namespace": "im", "uid": "uid-" + name, "labels": {"app": app}, "managedFields": [{"manager": "x"}],
                         "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "geheim-3"}},
            "spec": spec,
            "status": {"phase": "Running", "containerStatuses": [{"name": "im", "restartCount": restarts, "ready": True, "image": "im:75bb448",
                       "imageID": "sha256:75bb448", "state": {"running": {"startedAt": at(-600, 0)}}}]}}

def write(name, objects):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        json.dump(objects, f)

write("pods.json", [pod("im-0", "im-server", 1, init=True), pod("im-1", "im-server", 0), pod("other-0", "other", 0)])
write("statefulsets.json", [{"metadata": {"name": "im", "namespace": "im"}, "spec": {"replicas": 2, "template": {"spec": {"containers": [
    {"name": "im", "image": "im:75bb448", "env": [{"name": "DSN", "value": "geheim-4"}]}]}}}, "status": {"readyReplicas": 2}}])
write("events.json", [{"metadata": {"name": f"im-0.{i}", "namespace": "im", "uid": f"uid-{i}"}, "involvedObject": {"kind": "Pod", "namespace": "im", "name": "im-0"},
                       "type": "Warning", "reason": "Unhealthy", "message": f"Readiness probe failed {i} password=geheim-5",
                       "firstTimestamp": at(1, 0), "lastTimestamp": at(2, 0), "count": 1} for i in range(1203)])
write("podmetrics.json", [{"metadata": {"name": "im-0", "namespace": "im", "labels": {"app": "im-server"}}, "timestamp": at(30, 0), "window": "15s",
                           "containers": [{"name": "im", "usage": {"cpu": "250m", "memory": "128Mi"}}]}])

def log(name, lines):
    with open(os.path.join(folder, "logs", name), "w", encoding="utf-8") as f:
        f.writelines(f"{at(s)} {text}\n" for s, text in lines)

log("im-0/wait.log", [(-61, "waited"), (-60, "done")])
log("im-0/im.previous.log", [(-90, "too early"), (1, "closing"), (2, "exit")])
log("im-0/im.log", [(-100, "too early"), (-60, "started"), (0.5, "hub: queue full"), (70, "end")])
log("other-0/im.log", [(0, "not ours")])
END
echo token-of-kube >state/tokens

# kubeconfig PORT [USER-SETTINGS [CLUSTER-SETTINGS]]
kubeconfig()
{
	cat >kubeconfig <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: lab, cluster: {server: "https://127.0.0.1:$1", ${3-certificate-authority-data: $(base64 -w 0 ca.crt)}}}]
		contexts: [{name: lab, context: {cluster: lab, user: lab, namespace: im}}]
		users: [{name: lab, user: {${2-token: token-of-kube}}}]
		current-context: lab
	END
	chmod 600 kubeconfig
}

# config [SETTING]...: the configuration
config()
{
	printf 'format: 1\ntimeout: 2s\npause: 20ms\nkubernetes:\n  kubeconfig: kubeconfig\n  selector: app=im-server\n'
	printf '  %s\n' "$@"
} >impaudit.yaml

# collect STATUS [ARG...]: the final phase into a new run that began at t0
collect()
{
	local status=$1
	shift
	rm -rf run state/requests.jsonl
	tiny_run run
	echo "{\"load_start\":$t0$ns,\"load_end\":$((t0 + 3))$ns,\"drain_end\":$((t0 + 33))$ns}" >run/timeline.json
	run "$status" collect --out run --phase final "$@"
	cat run/collect/*.jsonl >journal 2>/dev/null
}

# said WHAT KEY: the journal's value about it
said()
{
	python3 - "$1" "$2" <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open("journal")]
		print(*[line.get(sys.argv[2]) for line in lines if line["ev"] == "collected" and line["what"] == sys.argv[1]], sep="\n")
	END
}

# fault PATH DO [TIMES]
fault()
{
	echo "[{\"path\": \"$1\", \"do\": $2${3:+, \"times\": $3}}]" >state/faults.json
}

# requests EXPRESSION: of each request noted (r), sorted, each once
requests()
{
	python3 -c "import json, urllib.parse; print(*sorted({str($1) for r in map(json.loads, open('state/requests.jsonl'))}), sep='\n')"
}

serve api python3 "$api" state --cert server.crt --key server.key --client-ca ca.crt
kubeconfig "${api_port:?}"
config 'log_margin: 1m'
collect 0

# what was asked
is "$(requests "r['method']")" GET 'nothing but GET'
is "$(requests "r['authorization']")" 'Bearer token-of-kube' 'with the token'
is "$(grep -c '/events?limit=500' state/requests.jsonl)" 3 '1203 events in three pages'
is "$(said events n) $(said pods n) $(said statefulsets n) $(said deployments n) $(said podmetrics n)" '1203 2 1 0 1' 'objects'
is "$(requests "r['path']" | grep 'pods.*/log' | sed 's/?.*container=\([a-z]*\).*/ \1/' | sort | uniq -c | awk '{ print $2, $3, $1 }' | paste -sd ';')" \
	'/api/v1/namespaces/im/pods/im-0/log im 2;/api/v1/namespaces/im/pods/im-0/log wait 1;/api/v1/namespaces/im/pods/im-1/log im 1' \
	'logs of all containers of the selected pods, of the restarted one both'
requests "r['path']" | grep -q 'log?container=im&timestamps=true&limitBytes=268435456&sinceTime=2026-09-21T14%3A12%3A20Z$'
ok $? 'since a minute before the load, with timestamps and a limit'

# what came
is "$(cd run && find logs -type f | sort | paste -sd ' ')" 'logs/im-0/im.log logs/im-0/im.previous.log logs/im-0/wait.log' 'files of logs'
is "$(cut -d ' ' -f 2- run/logs/im-0/im.log | paste -sd ';')" 'started;hub: queue full;end' 'the log since then'
is "$(said 'log of im-1/im' status): $(said 'log of im-1/im' why)" \
	'failed: HTTP 400: container "im" in pod "im-1" is waiting to start: ContainerCreating' 'one that is not there yet is no failure'
is "$(said 'log of im-0/im' n) $(said 'log of im-0/im before its restart' n)" '3 2' 'lines'
! grep -rq 'geheim-[1-5]\|token-of-kube' run out err
ok $? 'no secret of a manifest, an event or the kubeconfig'
python3 - run/kube/*.json <<'END'
import json, sys
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        whole = json.load(f)
    assert whole["kind"] == "List" and whole["apiVersion"] == "v1", name
    assert all(o["kind"] and o["apiVersion"] and "managedFields" not in o["metadata"] for o in whole["items"]), name
END
ok $? 'lists as kubectl prints them'
has journal '"ev": "server"'
has journal '"version": "v1.29.3"'

# and is read
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'no damage'
is "$(query_flat "SELECT kind, name FROM source WHERE kind IN ('log', 'kube') ORDER BY 1, 2")" \
	'kube,events kube,pods kube,usage kube,workloads log,im-0/im log,im-0/wait' 'sources'
is "$(query "SELECT count(*), sum(n) FROM kube_event")" 1203,1203 'events'
is "$(query "SELECT container, cpu, memory FROM kube_usage")" im,0.25,134217728 'what a container used'
is "$(query "SELECT samples FROM source WHERE name = 'im-0/im'")" 5 'both logs of the container are one'
"$IMPAUDIT" audit run >out 2>err
has run/report.md "| \`im-0/im\` | log |"
has run/report.md "| \`events\` | kube |"

# once more, and one event has come again: nothing is overwritten, nothing counts twice
rm -f state/requests.jsonl
sed -i '0,/"count": 1/s//"count": 4/' state/events.json
run 0 collect --out run --phase final
is "$(find run/logs/im-0 -name 'im.log*' | wc -l)" 2 'a second collection leaves the first as it is'
run 0 ingest run
is "$(query "SELECT samples FROM source WHERE name = 'im-0/im'")" 5 'its lines are the same ones'
is "$(query "SELECT count(*), sum(n) FROM kube_event")" 1203,1206 'so are the events, and one of them counts more'
is "$(query "SELECT count(*) FROM damage")" 0 'no damage'

# samples of an interval, and a look at rights alone
rm -rf run && tiny_run run
echo "{\"load_start\":$t0$ns,\"load_end\":$((t0 + 3))$ns}" >run/timeline.json
run 0 collect --out run --phase load --every 10ms
is "$(find run/kube -type f -printf '%f\n' | sed 's/@.*//' | sort -u | paste -sd ' ')" 'podmetrics pods' 'snapshots'
rm -f state/requests.jsonl
run 0 collect --check
is "$(grep -c '/log' state/requests.jsonl)" 0 '--check takes no log'

# rights that are missing
printf '%s\n' 'list events' 'list statefulsets.apps' 'get pods/log' 'list pods.metrics.k8s.io' >state/denied
collect 0
is "$(said events status): $(said events why)" 'denied: list events in namespace im: events is forbidden: User "system:serviceaccount:im:impaudit" cannot list resource "events" in API group "" in the namespace "im"' 'which right is missing'
is "$(said statefulsets why | cut -d : -f 1)" 'list statefulsets.apps in namespace im' 'with its API group'
is "$(said 'logs of 3 containers' why | cut -d : -f 1)" 'get pods/log in namespace im' 'of logs'
is "$(grep -c '/log?' state/requests.jsonl)" 1 'which is asked once'
is "$(said podmetrics why | cut -d : -f 1)" 'list pods.metrics.k8s.io in namespace im' 'of metrics'
is "$(said pods status)" ok 'the rest is taken'
"$IMPAUDIT" audit run >out 2>err
has run/report.md '**denied**, list events in namespace im: events is forbidden'
run 0 collect --check
rm state/denied
touch state/no-metrics
collect 0
is "$(said podmetrics status): $(said podmetrics why)" 'failed: metrics.k8s.io is not installed in this cluster' 'no metrics'
rm state/no-metrics
kubeconfig "$api_port" 'token: wrong'
collect 0
is "$(said pods status): $(said pods why)" 'denied: list pods in namespace im: the credentials are not accepted (HTTP 401)' 'a wrong token'
kubeconfig "$api_port" "client-certificate: impaudit.crt, client-key: impaudit.key"
collect 0
is "$(said pods status) $(requests "r['authorization']")" 'ok None' 'a client certificate in place of a token'
kubeconfig "$api_port" "client-certificate-data: $(base64 -w 0 impaudit.crt), client-key-data: $(base64 -w 0 impaudit.key)"
collect 0
is "$(said pods status)" ok 'the same in the kubeconfig'

# in a pod
mkdir account
cp ca.crt account/ca.crt
echo token-of-kube >account/token
printf im >account/namespace
printf 'format: 1\nkubernetes:\n  in_cluster: true\n  service_account: account\n' >impaudit.yaml
KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=$api_port run 0 collect --check
run 65 collect --check
has err 'not in a cluster'
config 'log_margin: 1m'
kubeconfig "$api_port" 'exec: {command: aws}'
run 65 collect --check
has err "\`exec\` is not followed here"
echo token-of-kube >token
chmod 600 token
config 'token: {file: token}'
run 0 collect --check

# an API server that is ill
kubeconfig "$api_port"
fault '/events.*continue' 410 1
collect 0
is "$(said events n) $(grep -c '/events' state/requests.jsonl)" '1203 5' 'a token that expired: once more from the beginning'
fault '/events.*continue' 410 2
collect 69
is "$(said events status): $(said events why)" \
	'failed: HTTP 410: The provided continue parameter is too old to display a consistent list result.' 'a second time is one too many'
is "$(find run/kube -name 'events*' | wc -l)" 0 'half a list is none'
fault '/pods.limit' 429 1
collect 0
is "$(said pods tries)" 2 '429'
fault '/statefulsets' 500 2
collect 0
is "$(said statefulsets tries)" 3 '500 twice'
fault '/statefulsets' 503
collect 69
is "$(said statefulsets status) $(said pods status) $(said events status)" 'failed ok ok' 'one list that cannot be had'
has err 'statefulsets: HTTP 503: the server is ill (3 tries)'
fault '/deployments' '"page"'
collect 69
is "$(said deployments why)" 'not JSON, or nested too deep' 'a page of HTML'
fault 'im-0/log.*container=im.*Z$' '"cut"' 1
collect 69
is "$(said 'log of im-0/im' status) $(said 'log of im-0/im' tries) $(said 'log of im-0/wait' status)" 'unreachable 1 ok' 'a log that breaks off'
is "$(cut -d ' ' -f 2- run/logs/im-0/im.log)" started 'keeps its whole lines'
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'without damage'
fault 'im-0/log.*container=im.*Z$' '"stall"' 1
sed -i 's/^timeout.*/timeout: 1s/' impaudit.yaml
collect 69
is "$(said 'log of im-0/im' status) $(cut -d ' ' -f 2- run/logs/im-0/im.log)" 'timeout started' 'a log that stops in the middle'
fault '/events' '"hang"'
sed -i 's/^timeout.*/timeout: 300ms/; s/^pause/tries: 2\npause/' impaudit.yaml
collect 69
is "$(said events status) $(said events tries)" 'timeout 2' 'no answer'

# told to stop in the middle
sed -i 's/^timeout.*/timeout: 5m/' impaudit.yaml
rm -f state/requests.jsonl
"$IMPAUDIT" collect --out run --phase final >out 2>err &
pid=$!
until grep -qs '/events' state/requests.jsonl; do
	kill -0 $pid || break
	sleep 0.05
done
kill -TERM $pid
wait $pid
is $? 69 'it ends at once, and says that something is missing'
grep -h '"events"' run/collect/*.jsonl | grep -q 'told to stop'
ok $? 'so does the journal'
rm state/faults.json

# a bound on logs
config 'log_bytes: 60'
collect 0
is "$(said 'log of im-0/im' status): $(said 'log of im-0/im' why)" 'limited: cut at 60 bytes (log_bytes): what came later is missing' 'a limit'
is "$(cut -d ' ' -f 2- run/logs/im-0/im.log)" started 'only whole lines'
run 0 ingest run
is "$(query "SELECT count(*) FROM damage")" 0 'without damage'

# another server than it should be
config
kubeconfig "$api_port" 'token: token-of-kube' "certificate-authority: other.crt"
collect 69
grep -qi certificate err
ok $? 'an authority that did not sign it'
is "$(grep -c . state/requests.jsonl 2>/dev/null)" '' 'no request, and no token, went there'
serve named python3 "$api" state --cert elsewhere.crt --key elsewhere.key
kubeconfig "${named_port:?}"
collect 69
kubeconfig "$named_port" 'token: token-of-kube' "certificate-authority: ca.crt, tls-server-name: api.im"
collect 0
is "$(requests "r['host']")" "api.im:$named_port" 'a certificate for the name that the kubeconfig gives'
kubeconfig "$named_port" 'token: token-of-kube' 'insecure-skip-tls-verify: true'
collect 0
has journal 'API server, certificate not checked'
kubeconfig 1
collect 69
has err 'https://127.0.0.1:1: '
chmod 644 kubeconfig
run 65 collect --check
has err 'others may read or write this file'
tap_done
