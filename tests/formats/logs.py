"""Logs as runtimes and collectors hand them out. T0 is 2026-09-21 14:13:20 UTC, 22:13:20 where the server's own times come from."""
import gzip
import json

BUSY = "W2026/09/21 22:13:21 topic proxy[p]: route broadcast request from proxy to master failed - cluster: load exceeded"
HALVES = BUSY[:-7], BUSY[-7:]            # "… load ex" "ceeded"
CALM = "I2026/09/21 22:13:20 ws: session started x 10.0.0.1:5000 1"
POD = "logs/im-server-0.log"


def z(seconds, digits=3):
    """UTC, seconds after T0."""
    whole, part = divmod(round(seconds * 10**9), 10**9)
    return f"2026-09-21T14:13:{20 + whole:02}.{part:09}"[:20 + digits] + "Z"


def cri(seconds, text, tag="F", stream="stdout"):
    return f"{z(seconds)} {stream} {tag} {text}"


def docker(seconds, text, stream="stdout"):
    return json.dumps({"log": text, "stream": stream, "time": z(seconds)})


def file(*entries, end="\n"):
    """Lines; bytes are taken as they are, without a line end."""
    out = b"".join(e if isinstance(e, bytes) else e.encode() + b"\n" for e in entries)
    return out if end else out[:-1]


def log(*entries, **keys):
    return {POD: file(*entries, **keys)}


def loki(values, **stream):
    answer = {"status": "success", "data": {"resultType": "streams", "result": [
        {"stream": {"pod": "im-server-0", "container": "im-server", **stream}, "values": values}], "stats": {}}}
    return {POD: json.dumps(answer).encode()}


def ns(seconds):
    return str(1_790_000_000_000_000_000 + round(seconds * 10**9))


PANIC = """panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0xcdd9b2]

goroutine 361307 [running]:
main.replyOfflineTopicGetSub(0xc000332360, 0xc0003f2000)
\t/src/server/hub.go:1132 +0x92
created by main.(*Hub).run in goroutine 1
\t/src/server/hub.go:204 +0x6c3""".split("\n")

CASES = [
    # CRI
    ("CRI: plain lines of both streams", log(cri(-1, CALM), cri(1, BUSY, stream="stderr"), cri(11, CALM)),
     {"format": "cri", "events": 3, "hits": 1, "at": 1, "damaged": 0, "covers": 1, "span": [[-1, 11]]}),
    ("containerd#4813: a last line without its end stays P for ever",
     log(cri(1, CALM), cri(2, BUSY, "P")), {"events": 2, "hits": 1, "at": 2}),
    ("containerd#5282: cut and mixed payloads under load are lines all the same",
     log(cri(1, '{"level":"info","msg":"cut he'), cri(2, 're"}{"level":'), cri(3, BUSY)), {"accounted": 3, "hits": 1, "at": 3}),
    ("VictoriaLogs#1217: two headers on one line: the second begins a line, the first is damage",
     log("2026-09-21T22:13:21.2+08:00 stdout 2026-09-21T22:13:22.2+08:00 stdout F " + BUSY, cri(3, CALM)),
     {"hits": 1, "at": 2, "events": 2, "damaged": 1}),
    ("fluent-bit#5554: nothing behind the tag", log(f"{z(1)} stdout F", f"{z(2)} stdout F ", cri(3, BUSY)),
     {"damaged": 0, "hits": 1, "at": 3}),
    ("fluent-bit#4512: parts and a dump of several lines are one event",
     log(cri(1, CALM, stream="stderr"), cri(2, PANIC[0][:20], "P", "stderr"), cri(2, PANIC[0][20:], "F", "stderr"),
         *(cri(2, line, "F", "stderr") for line in PANIC[1:]), cri(3, CALM, stream="stderr")),
     {"events": 3, "panics": [["server/hub.go:1132", 1]]}),
    ("kubernetes#81710: +02:00, nine digits, times that step back",
     log("2026-09-21T16:13:25.500000001+02:00 stdout F " + CALM, "2026-09-21T16:13:21.000000000+02:00 stderr F " + BUSY),
     {"hits": 1, "at": 1, "span": [[1, 5.500000001]], "events": 2}),
    ("cri-o#897: no tag, +00:00", log(f"2026-09-21T14:13:21.5+00:00 stdout {BUSY}", f"2026-09-21T14:13:22.5+00:00 stdout {CALM}"),
     {"hits": 1, "at": 1, "events": 2, "damaged": 0}),
    ("loki#3082: JSON inside CRI: the runtime's time wins, the text is the message",
     log(cri(1, json.dumps({"level": "warn", "ts": 1789999000.5, "msg": BUSY[21:]})), cri(2, json.dumps({"level": "info", "msg": "x"}))),
     {"hits": 1, "at": 1, "events": 2}),
    ("loki#5854: three parts are one event", log(cri(1, BUSY[:30], "P"), cri(1.1, BUSY[30:60], "P"), cri(1.2, BUSY[60:])),
     {"events": 1, "hits": 1, "at": 1}),
    ("CRI: parts are joined within their stream", log(cri(1, HALVES[0], "P"), cri(1, CALM, "F", "stderr"), cri(1, HALVES[1])),
     {"events": 2, "hits": 1}),
    ("CRI: tags behind the first are nothing to us", log(cri(1, HALVES[0], "P:TAG1:TAG2"), cri(1, HALVES[1], "F:TAG1")),
     {"events": 1, "hits": 1}),
    ("CRI: UTF-8 cut in two by its parts",
     log(f"{z(1)} stdout P ".encode() + "x — ".encode()[:3] + b"\n" + f"{z(1)} stdout F ".encode() + "x — ".encode()[3:]
         + BUSY.encode() + b"\n"), {"events": 1, "hits": 1, "damaged": 0}),
    ("cri-o#4029, kata#2764: a raw line among CRI lines", log(cri(1, BUSY), 'time="2026" level=warning msg="raw"', cri(2, BUSY)),
     {"hits": 2, "accounted": 3}),
    # docker
    ("docker: lines", log(docker(1, BUSY + "\n"), docker(2, CALM + "\n", "stderr")), {"format": "docker", "hits": 1, "at": 1, "events": 2}),
    ("kubernetes#108061: an empty first line", log(b"\n", docker(1, BUSY + "\n"), docker(2, CALM + "\n")),
     {"hits": 1, "events": 2, "damaged": 0}),
    ("moby#53631: NUL run in the middle", log(docker(1, CALM + "\n"), b"\0" * 4096, docker(2, BUSY + "\n"), docker(3, BUSY + "\n")),
     {"hits": 2, "events": 3}),
    ("moby#40584: NUL block at the beginning", log(b"\0" * 512, docker(1, BUSY + "\n"), docker(2, CALM + "\n")), {"hits": 1, "events": 2}),
    ("moby#29511: half an event at the end", log(docker(1, BUSY + "\n"), docker(2, CALM + "\n"), b'{"log":"W2026/09/21 22:13:23 to'),
     {"hits": 1, "events": 2, "damaged": 1}),
    ("docker/for-linux#1321: a time inside the second part", log(docker(1, "A" * 16384), docker(1, f"{z(1)} {BUSY}\n"), docker(2, CALM + "\n")),
     {"events": 2, "hits": 1}),
    ("moby#36777, #35799: JSON that is none until its parts are joined",
     log(*(docker(1, part) for part in (lambda text: (text[:16384], text[16384:32768], text[32768:] + "\n"))(
         json.dumps({"level": "warn", "pad": "x" * 32750, "msg": BUSY[21:]}))), docker(2, CALM + "\n")), {"events": 2, "hits": 1, "at": 1}),
    ("docker: escapes are undone", log(docker(1, "<&> " + BUSY + "\n").replace("<", "\\u003c").replace("&", "\\u0026")),
     {"hits": 1, "text": "<&> " + BUSY}),
    # kubectl
    ("kubectl --timestamps --prefix", log(f"[pod/im-server-0/im-server] {z(1, 9)} {BUSY}", f"[pod/im-server-0/im-server] {z(2, 9)} {CALM}"),
     {"format": "kubectl", "hits": 1, "at": 1, "pods": "im-server-0", "events": 2}),
    ("kubectl --prefix of two pods in one file", {"logs/all.log": file(
        *(f"[pod/im-server-{n % 2}/im-server] {z(n, 9)} {BUSY if n < 4 else CALM}" for n in range(8)))},
     {"hits": 4, "streams": 2, "pods": ["im-server-0", "im-server-1"]}),
    ("kubernetes#54087, #68721: the collector's error is not the server's",
     log('failed to get parse function: unsupported log format: "\\n"', f"{z(1, 9)} {BUSY}", f"{z(2, 9)} {CALM}"),
     {"events": 2, "hits": 1, "noted": 1, "covers": 0}),
    ("kubernetes#98236: container logs cannot be had", log('unable to retrieve container logs for containerd://abc123'),
     {"hits": 0, "noted": 1, "covers": 0}),
    ("kubectl: lines that got no time are lines", log(f"{z(1, 9)} {CALM}", BUSY, f"{z(2, 9)} {CALM}"), {"hits": 1}),
    ("kubernetes#115701, #108678: the follower stopped with the rotation", log(cri(-1, CALM), cri(1, BUSY), cri(6, CALM)),
     {"hits": 1, "covers": 0}),
    ("ramen#2706: rotation took the whole window", log(cri(20, CALM), cri(30, CALM)), {"hits": 0, "covers": 0, "events": 2}),
    ("omc#225: nothing in the current file, everything in rotated ones", {
        "logs/im-server-0/im-server.log": b"",
        "logs/im-server-0/im-server.log.20260921-221300.gz": gzip.compress(file(cri(-1, CALM), cri(1, HALVES[0], "P")), mtime=0),
        "logs/im-server-0/im-server.log.20260921-221325": file(cri(1, HALVES[1]), cri(6, BUSY), cri(12, CALM))},
     {"streams": 1, "events": 4, "hits": 2, "at": [1, 6], "covers": 1}),
    ("kubectl#812, kubernetes#74900: ten lines of each container",
     {"logs/all.log": file(*(f"[pod/im-server-0/im-server] {z(n, 9)} {CALM}" for n in range(-1, 9)))}, {"limited": 1, "covers": 0}),
    # stern
    ("stern: colours", log(f"\x1b[38;5;2mim-server-0\x1b[0m \x1b[32mim-server\x1b[0m {z(1, 9)} {BUSY}",
                           f"\x1b[38;5;2mim-server-0\x1b[0m \x1b[32mim-server\x1b[0m {z(2, 9)} {CALM}"),
     {"format": "stern", "hits": 1, "at": 1, "pods": "im-server-0", "events": 2}),
    ("stern#342: JSON with the time inside the message", log(*(json.dumps(
        {"message": f"{z(n, 9)} {text}", "nodeName": "n", "namespace": "d", "podName": "im-server-0", "containerName": "im-server"})
        for n, text in ((1, BUSY), (2, CALM)))), {"hits": 1, "at": 1, "pods": "im-server-0", "text": BUSY}),
    ("stern: JSON with the time beside it", log(*(json.dumps(
        {"message": text, "timestamp": z(n, 9), "nodeName": "n", "namespace": "d", "podName": "im-server-0", "containerName": "im-server"})
        for n, text in ((1, BUSY), (2, CALM)))), {"hits": 1, "at": 1, "pods": "im-server-0"}),
    ("stern#326, wercker/stern#144: pods in turn, out of order", {"logs/all.log": file(
        *(f"im-server-{n % 2} im-server {z(t, 9)} {BUSY}" for n, t in enumerate((3, 1, 2, 5, 4, 0))))},
     {"hits": 6, "streams": 2, "pods": ["im-server-0", "im-server-1"], "span": [[0, 5]]}),
    # Loki
    ("Loki: newest first", loki([[ns(11), CALM], [ns(1), BUSY], [ns(-1), CALM]]),
     {"format": "loki", "hits": 1, "at": 1, "pods": "im-server-0", "events": 3, "covers": 1}),
    ("grafana#56071: entries of one nanosecond", loki([[ns(2), BUSY], [ns(2), CALM], [ns(2), BUSY + "!"]]), {"hits": 2, "events": 3, "resent": 0}),
    ("Loki: the same entry again is one", loki([[ns(2), BUSY], [ns(2), BUSY], [ns(1), CALM]]), {"hits": 1, "events": 2, "resent": 1}),
    ("grafana#100357, loki#10658: as many entries as the limit", loki([[ns(n / 10), CALM] for n in range(110, 10, -1)]),
     {"events": 100, "limited": 1, "covers": 0}),
    ("Loki: structured metadata as a third element", loki([[ns(2), BUSY, {"structuredMetadata": {"a": "b"}}], [ns(1), CALM, {}]]),
     {"hits": 1, "at": 2}),
    # what the program itself writes
    ("bare Go log, zone from run.json", {"run.json": b'{"format":1,"scenarios":[{"id":"s1","kind":"p2p","drain_s":10}],"log_zone":"+08:00"}',
                                         POD: file(CALM, BUSY)}, {"hits": 1, "at": 1, "zone": "log_zone"}),
    ("bare Go log, zone unknown: counts, no times", log(CALM, BUSY), {"hits": 1, "zone": "unknown", "covers": 0,
                                                                      "SELECT count(second) FROM log_hit": 0}),
    ("bare Go log, anchored by a mid of the run",
     log(CALM, """I2026/09/21 22:13:20 in: '{"pub":{"id":"1","head":{"x-im-client-mid":"m0"}}}' sid='s' uid='u'""", BUSY,
         """I2026/09/21 22:13:25 in: '{"pub":{"id":"6","head":{"x-im-client-mid":"m5"}}}' sid='s' uid='u'"""),
     {"hits": 1, "at": 1, "zone": "anchored", "SELECT zone_offset_ns FROM source WHERE kind = 'log'": 8 * 3600 * 10**9}),
    ("klog has no year", log("I0921 14:13:20.500000       1 main.go:10] up", "W0921 14:13:21.500000       1 c.go:410] " + BUSY[21:]),
     {"hits": 1, "events": 2}),
    ("lnav#1478, #684, #448: text before JSON, broken JSON, nested objects",
     log("starting up", json.dumps({"level": "warn", "ts": z(1), "msg": BUSY[21:], "more": {"a": [1, {"b": "c"}]}}),
         '{"level":"info","ts":"' + z(2) + '","msg":"brok', json.dumps({"level": "warn", "ts": z(3), "msg": BUSY[21:]})),
     {"hits": 2, "at": [1, 3]}),
    ("kubetail#115: an error of the runtime where a time should be",
     log(cri(-1, CALM), "failed to watch file \"/var/log/pods/x/0.log\": no space left on device", cri(1, BUSY), cri(11, CALM)),
     {"hits": 1, "noted": 1, "events": 3}),
    ("a panic of net/http is one event", log(
        cri(1, "2026/09/21 22:13:21 http: panic serving 10.0.0.1:5432: runtime error: invalid memory address or nil pointer dereference"),
        cri(1, "goroutine 12 [running]:"), cri(1, "main.serve(0x0)"), cri(1, "\t/src/server/im_http.go:6256 +0x1"), cri(2, BUSY)),
     {"events": 2, "panics": [["server/im_http.go:6256", 1]], "hits": 1}),
    ("secrets stay outside", log(cri(1, "topic proxy[p]: route broadcast request from proxy to master failed - cluster: load exceeded "
                                       '{"login":{"scheme":"basic","secret":"bHRhOmh1bnRlcjI="}}')),
     {"hits": 1, "SELECT count(*) FROM log_hit WHERE text LIKE '%bHRhOmh1bnRlcjI%'": 0}),
]
