"""Evidence that is no ledger, a few lines of each kind: logs of every format, metrics, lag, Redis, Kubernetes, other load tools. It
belongs to the run of every_kind.py, whose load begins at 2026-09-21 14:13:20 UTC and lasts nine seconds."""
import gzip
import json

T0_S = 1_790_000_000
FULL = "W2026/09/21 22:13:2{} topic proxy[grp]: route broadcast request from proxy to master failed - cluster: load exceeded"
GONE = "W2026/09/21 22:13:2{} cluster: call failed im-1 read tcp 10.0.0.1:12001->10.0.0.2:12001: connection reset by peer"
PANIC = """panic: runtime error: invalid memory address or nil pointer dereference

goroutine 361307 [running]:
main.replyOfflineTopicGetSub(0xc000332360, 0xc0003f2000)
\t/src/server/hub.go:1132 +0x92
"""


def lines(*texts):
    return "".join(t + "\n" for t in texts).encode()


def z(seconds):
    return f"2026-09-21T14:13:{20 + seconds:02}.5Z"


def logs():
    """Each way for a log to be written, joined, damaged or without a zone; lines that signatures look for, and a secret."""
    text = [FULL.format(1), GONE.format(4), "W2026/09/21 22:13:25 lt-5 502 token=abcdef"]
    loki = [[str((T0_S + n) * 10**9), line] for n, line in enumerate(text)]
    return {
        "logs/im-0.log": lines(f"{z(-1)} stdout F in: lt-1 ok", f"{z(1)} stdout P {FULL.format(1)[:40]}", f"{z(1)} stdout F {FULL.format(1)[40:]}",
                               f"{z(2)} stderr F panic", "no header", f"{z(59 - 20)} stdout F out", f"{z(59 - 20)} stdout F out"),
        "logs/im-1/im.log.1.gz": gzip.compress(lines(*(json.dumps({"log": t + "\n", "stream": "stdout", "time": z(1)}) for t in text)), mtime=0),
        "logs/im-1/im.log": lines(json.dumps({"log": GONE.format(5) + "\n", "stream": "stderr", "time": z(5)}), '{"log":"to'),
        "logs/im-2.log": lines("I2026/09/21 22:13:19 up", *text, "I2026/09/21 22:13:20 in: lt-1") + PANIC.encode(),
        "logs/all.log": lines(*(f"[pod/im-{n % 2}/web] {z(n)[:-2]}500000000Z {t}" for n, t in enumerate(text)), "failed to watch file x: no space left"),
        "logs/loki.json.log": json.dumps({"status": "success", "data": {"resultType": "streams", "result": [
            {"stream": {"pod": "im-3", "container": "im"}, "values": loki}]}}).encode(),
        "logs/zap.log": lines(*(json.dumps({"level": "warn", "ts": T0_S + n + 0.5, "msg": t}) for n, t in enumerate(text))),
    }


def metrics():
    """Counters that grow and begin anew, a histogram, OpenMetrics that is cut, an answer with a hole, damage."""
    first = "# TYPE im_sent_total counter\nim_sent_total{pod=\"im-0\"} 7\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nup 1\n"
    matrix = [{"metric": {"__name__": "im_queue_full_total", "pod": "im-1"}, "values": [[T0_S, "1"], [T0_S + 5, "NaN"], [T0_S + 9, "4"]]}]
    return {
        "metrics/im-0@load_start.prom": first.encode(),
        f"metrics/im-0@{T0_S + 4}.prom": first.replace("7", "9").encode() + b"noise{\n",
        "metrics/im-0@load_end.prom.gz": gzip.compress(first.replace("7", "2").encode(), mtime=0),
        "metrics/im-1@load_end.prom": b"# TYPE a counter\n# UNIT a seconds\na_total 1\n",
        "metrics/range.json": json.dumps({"status": "success", "data": {"resultType": "matrix", "result": matrix}, "warnings": ["partial"]}).encode(),
        "metrics/q.json": b'{"status":"error","errorType":"bad_data","error":"too long"}\n',
    }


def lag():
    """Behind, without a commit, beyond its end, with records that are gone."""
    samples = [(0, 10, 12), (1, -1, 12), (2, 13, 12), (9, 3, 20)]
    return lines(*(json.dumps({"ev": "lag", "t": (T0_S + t) * 10**9, "group": "g", "topic": "im.persist", "partition": 0, "committed": committed,
                               "end": end, "lag": 0, "start": 5}) for t, committed, end in samples))


def cluster():
    container = {"name": "im", "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}}}
    pod = {"kind": "Pod", "metadata": {"name": "im-0", "namespace": "d", "uid": "u"}, "spec": {"nodeName": "n", "containers": [container]}, "status": {
        "phase": "Running", "containerStatuses": [{"name": "im", "ready": True, "restartCount": 1, "lastState": {
            "terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-09-21T14:13:24Z"}}}]}}
    event = {"kind": "Event", "involvedObject": {"kind": "Pod", "name": "im-0"}, "reason": "BackOff", "type": "Warning", "count": 3,
             "lastTimestamp": "2026-09-21T14:13:25Z", "message": "Back-off"}
    workload = {"kind": "StatefulSet", "metadata": {"name": "im"}, "spec": {"replicas": 2, "template": {"spec": {"containers": [container]}}}}
    return {
        "kube/pods@load_end.json": json.dumps({"kind": "List", "items": [pod, workload]}).encode(),
        "kube/events@load_end.json": json.dumps({"kind": "List", "items": [event]}).encode() + b'{"kind":',
        f"kube/top@{T0_S + 1}.txt": b"NAME CPU(cores) MEMORY(bytes)\nim-0 250m 128Mi\nim-1 <unknown> <unknown>\nodd\n",
    }


def redis():
    slow = [[3, T0_S + 1, 15000, ["AUTH", "hunter2"], "10.0.0.1:5", ""]]
    return {
        f"redis/r0@{T0_S}.info": b"# Stats\r\nevicted_keys:0\r\n", f"redis/r0@{T0_S + 9}.info": b"# Stats\r\nevicted_keys:7\r\nnoise\r\n",
        "redis/slowlog.json": json.dumps(slow).encode(),
    }


def load_tools():
    """What a run keeps, and what `trust` takes as files."""
    summary = {"metrics": {"iterations": {"count": 90, "rate": 10}, "dropped_iterations": {"count": 4, "rate": 0.4}, "vus_max": {"value": 6, "min": 5, "max": 6},
                           "client_queue_ms": {"avg": 2, "p(95)": 8, "p(99)": 12, "thresholds": {"p(99)<10": True}}}, "root_group": {}}
    health = [{"ts": f"2026-09-21T14:13:{20 + 2 * n}", "cpu_pct": 70 + 7 * n, "time_wait": 120, "port_used": 800, "port_total": 28232,
               "port_use_ratio": 0.03, "fd_alloc": 2000, "fd_use_ratio": 0.0002} for n in range(5)]
    raw = [{"metric": "iterations", "type": "Metric", "data": {"type": "counter", "contains": "default", "thresholds": []}},
           *({"metric": "iterations", "type": "Point", "data": {"time": z(n), "value": 1, "tags": {"scenario": "s1"}}} for n in range(4))]
    return {
        "loadgen/summary.json": json.dumps(summary).encode(), "loadgen/health.json": json.dumps(health, indent=1).encode(),
        "loadgen/raw.json.gz": gzip.compress(lines(*map(json.dumps, raw), '{"type":"Po'), mtime=0),
    }


def files():
    return {**logs(), **metrics(), "kafka/lag.jsonl": lag(), **cluster(), **redis(), **load_tools()}
