"""Kubernetes objects, `kubectl top`, consumer lag, Redis."""
import json

T0_S = 1_790_000_000


def items(kind, *objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"kind": kind, **o} for o in objects]}).encode()


def event(name="im-server-0", reason="BackOff", **keys):
    return {"metadata": {"name": f"{name}.1", "namespace": "d", "creationTimestamp": "2026-09-21T14:13:29Z"}, "reason": reason,
            "type": "Warning", "message": "m", "involvedObject": {"kind": "Pod", "name": name, "namespace": "d"}, **keys}


EVENTS = f"SELECT reason, (t - {T0_S}000000000) / 1e9, n FROM kube_event ORDER BY event_no"
CONTAINER = {"name": "im-server", "image": "i:1", "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {
    "cpu": "0.1", "memory": "134217728"}}, "livenessProbe": {"httpGet": {"path": "/healthz", "port": 6060}}}
POD = {"metadata": {"name": "im-server-0", "namespace": "d", "uid": "u"}, "spec": {"nodeName": "n", "containers": [CONTAINER]}, "status": {
    "phase": "Running", "containerStatuses": [{
        "name": "im-server", "ready": True, "restartCount": 2, "image": "i:1", "imageID": "i@sha256:ab", "state": {
            "running": {"startedAt": "2026-09-21T14:13:24Z"}},
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-09-21T14:13:23Z"}}}]}}
USAGE = "SELECT pod, container, cpu, memory FROM kube_usage ORDER BY usage_no"
MIB = 1 << 20


def lag(**keys):
    return json.dumps({"ev": "lag", "t": T0_S * 10**9, "group": "g", "topic": "t", "partition": 0, **keys}).encode() + b"\n"


LAG = "SELECT committed, lag FROM kafka_lag"

CASES = [
    ("kubernetes#90482, event-exporter#163: eventTime and series in place of first and last", {"kube/events.json": items(
        "Event", event("a", "Old", firstTimestamp="2026-09-21T14:13:20Z", lastTimestamp="2026-09-21T14:13:25Z", count=5),
        event("b", "New", firstTimestamp=None, lastTimestamp=None, eventTime="2026-09-21T14:13:21.500000Z"),
        event("c", "Series", firstTimestamp=None, lastTimestamp=None, eventTime="2026-09-21T14:13:21.500000Z",
              series={"count": 7, "lastObservedTime": "2026-09-21T14:13:27.250000Z"}),
        event("d", "Bare", firstTimestamp=None, lastTimestamp=None, eventTime=None))},
     {EVENTS: [["Old", 5, 5], ["New", 1.5, 1], ["Series", 7.25, 7], ["Bare", 9, 1]]}),
    ("events.k8s.io/v1: regarding, note", {"kube/events.json": items("Event", {
        "apiVersion": "events.k8s.io/v1", "metadata": {"name": "x", "namespace": "d"}, "reason": "Killing", "type": "Normal", "note": "gone",
        "regarding": {"kind": "Pod", "name": "im-server-0", "namespace": "d"}, "eventTime": "2026-09-21T14:13:22.000000Z"})},
     {"SELECT name, message, n FROM kube_event": [["im-server-0", "gone", 1]]}),
    ("a pod: quantities, restarts, the last end", {f"kube/pods@{T0_S + 5}.json": items("Pod", POD)},
     {"SELECT pod, ready, restarts, cpu_limit, cpu_request, memory_limit, memory_request, last_reason, last_exit, image_id FROM kube_container": [
         ["im-server-0", 1, 2, 0.5, 0.1, 256 * MIB, 128 * MIB, "OOMKilled", 137, "i@sha256:ab"]],
      f"SELECT (t - {T0_S}000000000) / 1e9, (started_t - {T0_S}000000000) / 1e9, (last_finished_t - {T0_S}000000000) / 1e9"
      " FROM kube_container": [[5, 4, 3]]}),
    ("one object without a list", {"kube/pod.json": json.dumps({"kind": "Pod", **POD}).encode()},
     {"SELECT count(*) FROM kube_container": 1}),
    ("a stateful set", {"kube/statefulset.json": json.dumps({
        "kind": "StatefulSet", "metadata": {"name": "im-server", "namespace": "d"}, "spec": {"replicas": 3, "template": {"spec": {
            "containers": [CONTAINER]}}}, "status": {"readyReplicas": 2}}).encode()},
     {"SELECT kind, name, container, replicas, ready_replicas, cpu_limit, memory_limit FROM kube_workload": [
         ["StatefulSet", "im-server", "im-server", 3, 2, 0.5, 256 * MIB]]}),
    ("kubectl top: containers, sum", {f"kube/top-pods@{T0_S}.txt": b"""POD           NAME        CPU(cores)   MEMORY(bytes)
im-server-0   im-server   250m         133Mi
im-server-1   im-server   1            1Gi
                          ________     ________
                          1250m        1157Mi
"""}, {USAGE: [["im-server-0", "im-server", 0.25, 133 * MIB], ["im-server-1", "im-server", 1, 1024 * MIB]]}),
    ("metrics-server#785, #407: <unknown>, warnings, pods too young to be measured", {f"kube/top-pods@{T0_S}.txt": b"""\
W0722 10:00:00.000000   12345 top_pod.go:140] Metrics not available for pod d/im-server-2, age: 2m
NAME          CPU(cores)   MEMORY(bytes)
im-server-0   250m         133Mi
im-server-1   <unknown>    <unknown>
im-server-3   0m           1Mi
"""}, {"SELECT pod, cpu FROM kube_usage WHERE cpu > 0": [["im-server-0", 0.25]],
       "SELECT count(*) FROM kube_usage WHERE pod = 'im-server-1' AND (cpu IS NOT NULL OR memory IS NOT NULL)": 0,
       "SELECT count(*) FROM kube_usage WHERE pod = 'im-server-3' AND cpu IS NOT NULL": 0}),
    ("lag: as it says", {"kafka/lag.jsonl": lag(committed=10, end=12, lag=2)}, {LAG: [[10, 2]]}),
    ("lag: no commit yet is not known, whatever it says", {"kafka/lag.jsonl": lag(committed=-1, end=12, lag=12)}, {LAG: [[None, None]]}),
    ("lag: behind the beginning of the log the backlog is end - start", {"kafka/lag.jsonl": lag(committed=10, start=40, end=52, lag=42)},
     {"SELECT lag, start FROM kafka_lag": [[12, 40]]}),
    ("Redis INFO", {f"redis/r0@{T0_S + 4}.info": b"# Server\r\nredis_version:7.0.15\r\n\r\n# Stats\r\nevicted_keys:3\r\nrejected_connections:0\r\n"},
     {f"SELECT name, value, (t - {T0_S}000000000) / 1e9 FROM redis_info WHERE name = 'evicted_keys'": [["evicted_keys", "3", 4]]}),
    ("Redis LATENCY LATEST and HISTORY, as a collector puts them together", {f"redis/r0-latency@{T0_S + 9}.json": json.dumps({"latency": [
        {"event": "command", "time": T0_S + 3, "latest_ms": 1001, "max_ms": 1001, "history": [[T0_S + 1, 12], [T0_S + 3, 1001]]},
        {"event": "fork", "time": T0_S + 2, "latest_ms": 3, "max_ms": 7}]}).encode()},
     {f"SELECT source, event, t / 1000000000 - {T0_S}, duration_ns / 1000000, max_ns / 1000000 FROM redis_latency ORDER BY spike_no": [
         ["r0", "command", 1, 12, 1001], ["r0", "command", 3, 1001, 1001], ["r0", "fork", 2, 3, 7]],
      "SELECT limited FROM source WHERE kind = 'redis'": 0}),
    ("Redis LATENCY: 160 spikes of one event are what the server keeps", {"redis/r0-latency.json": json.dumps({"latency": [
        {"event": "command", "time": T0_S, "latest_ms": 1, "max_ms": 1, "history": [[T0_S - 160 + i, 1] for i in range(160)]}]}).encode()},
     {"SELECT count(*) FROM redis_latency": 160, "SELECT limited FROM source WHERE kind = 'redis'": 1}),
    ("Redis LATENCY: a server that watches for nothing", {"redis/r0-latency.json": b'{"latency": []}'},
     {"SELECT count(*) FROM redis_latency": 0, "SELECT damaged FROM source WHERE kind = 'redis'": 0}),
    ("PodMetrics of the metrics API, a list of them", {f"kube/podmetrics@{T0_S + 5}.json": json.dumps({
        "kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, "items": [{
            "metadata": {"name": "im-server-0", "namespace": "d", "creationTimestamp": "2026-09-21T14:13:24Z"},
            "timestamp": "2026-09-21T14:13:23Z", "window": "15s", "containers": [
                {"name": "im-server", "usage": {"cpu": "250123456n", "memory": "136192Ki"}}]}]}).encode()},
     {"SELECT pod, container, cpu, memory FROM kube_usage": [["im-server-0", "im-server", 0.250123456, 133 * MIB]],
      f"SELECT t / 1000000000 - {T0_S} FROM kube_usage": 3}),
]
