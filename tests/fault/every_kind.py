"""A small results directory that holds every kind of file of the layout, and what makes the auditor take its rarer paths: packed files,
damage, two lives of an agent, a link, a stranger, a warm-up, dead letters, a manifest that finds fault."""
import gzip
import hashlib
import json
import os
import struct

import every_source

S, MS = 1_000_000_000, 1_000_000
T0 = 1_790_000_000 * S

RUN = {
    "format": 1, "run_id": "every-1", "tenant": "t1", "server": "im-server", "log_zone": "+08:00",
    "client_mid_prefix": "lt-", "systems": ["mysql", "kafka", "redis", "kubernetes", "prometheus"],
    "planned_accounts": 4, "agents": ["a", "b", "z"], "gates": "release",
    "pods_expected": ["im-0", "im-1"], "build": {"expected": "75bb448", "metrics_expected": ["im_sent_total"]},
    "warmup": {"start": T0 - 60 * S, "end": T0 - 1},
    "scenarios": [{"id": "s1", "kind": "p2p", "planned_messages": 7, "drain_s": 30},
                  {"id": "s2", "kind": "group", "planned_messages": 1, "drain_s": 60}],
}
TIMELINE = {"load_start": T0, "load_end": T0 + 9 * S, "drain_end": T0 + 69 * S}


def pub(mid, at, topic="p2p-1", sender="a1", **keys):
    return {"ev": "pub", "t": T0 + at, "mid": mid, "topic": topic, "from": sender, **keys}


def ctrl(mid, at, code=202, **keys):
    return {"ev": "ctrl", "t": T0 + at, "mid": mid, "code": code, **keys}


def data(mid, at, seq, to, topic="p2p-1"):
    return {"ev": "data", "t": T0 + at, "mid": mid, "topic": topic, "seq": seq, "to": to}


def conn(who, at, state, **keys):
    return {"ev": "conn", "t": T0 + at, "who": who, "state": state, **keys}


def agent(ev, agent_id, at, **keys):
    return {"ev": ev, "t": T0 + at, "agent": agent_id, **keys}


def ledger_a():
    """The senders: two lives, every outcome."""
    return [
        agent("start", "a", -90 * S, version="1"), agent("clock", "a", -80 * S, offset_ns=1200, rtt_ns=9, source="ntp"),
        agent("calibration", "a", -70 * S, ceiling_per_s=900, sockets=4, target="echo"),
        conn("a1", -66 * S, "open", pod="im-0"), conn("a1", -65 * S, "ready"),
        pub("lt-w", -30 * S), ctrl("lt-w", -30 * S + MS, seq=1),
        agent("mark", "a", 0, name="load_start"),
        pub("lt-1", 0, sc="s1", plan=T0 - MS, id="i1", size=9), ctrl("lt-1", 3 * MS, seq=2),
        pub("lt-2", S, sc="s1"), ctrl("lt-2", S + MS, seq=3),
        pub("lt-3", 2 * S, sc="s1"), ctrl("lt-3", 2 * S + MS, seq=4),
        agent("health", "a", 2 * S, cpu_pct=12.5, rss_bytes=1 << 20, fds=9, fd_limit=1024),
        agent("end", "a", 2 * S + 9, events=14),
        agent("start", "a", 3 * S),
        pub("lt-4", 4 * S, sc="s1"), {"ev": "fail", "t": T0 + 24 * S, "mid": "lt-4", "why": "timeout"},
        pub("lt-5", 5 * S, sc="s1"), ctrl("lt-5", 5 * S + MS, 502, text="bad \u2028gateway"),
        {"ev": "skip", "t": T0 + 6 * S, "mid": "lt-6", "topic": "p2p-1", "from": "a1", "why": "overrun", "sc": "s1"},
        pub("lt-7", 7 * S, topic="grp", sc="s2"), ctrl("lt-7", 7 * S + MS, seq=1),
        {"ev": "novel", "t": T0 + 8 * S, "x": {"deep": [1, None]}},
        agent("end", "a", 70 * S, events=24),
    ]


def ledger_b():
    """The receivers: a duplicate, a missing delivery, a stranger, a wrong topic, a foreign message, one who went away."""
    return [
        agent("start", "b", -90 * S),
        conn("b1", -60 * S, "ready"), conn("b2", -60 * S, "ready"), conn("b2", 4 * S, "closed", code=1006, why="reset"),
        data("lt-w", -30 * S + 9 * MS, 1, "b1"), data("lt-1", 8 * MS, 2, "b1"), data("lt-1", 9 * MS, 2, "b1"),
        data("lt-3", 2 * S + 9 * MS, 4, "b2"), data("lt-2", 40 * S, 3, "b1"),
        data("lt-7", 7 * S + 5 * MS, 1, "b1", "grp"), data("lt-7", 7 * S + 6 * MS, 1, "a1", "grp"),
        data("lt-7", 7 * S + 7 * MS, 1, "b1", "p2p-1"), data("other-9", 8 * S, 9, "b1"),
        agent("end", "b", 70 * S, events=13),
    ]


def text_of(records):
    return "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in records).encode()


def damaged_ledger():
    """A byte-order mark, CRLF, a torn start before a whole record, two on one line, bad UTF-8, NaN, a line that tears."""
    glued = [data("lt-1", 10 * MS, 2, "a1"), data("lt-3", 2 * S + 10 * MS, 4, "a1")]
    lines = [text_of(glued[:1])[:20] + text_of(glued).replace(b"\n", b""), b"\0\0" + text_of([conn("b1", 9 * S, "ready")]).strip(),
             b'{"ev":"conn","t":1790000009000000001,"who":"b1","state":"ready","why":"\xff"}',
             b'{"ev":"health","t":1790000009000000002,"agent":"b","cpu_pct":NaN}',
             b'{"ev":"pub","mid":7}', b'{"ev":"data","t":17900']
    return b"\xef\xbb\xbf" + b"\r\n".join(lines)


def database():
    rows = [{"ev": "row", "table": "messages", "mid": f"lt-{i}", "topic": "p2p-1", "seq": i + 1, "id": str(i),
             "created": "2026-09-21T14:13:20Z"} for i in (1, 3, 4)]
    return [*rows, {**rows[0], "seq": 8, "id": "9"},
            {"ev": "rows", "t": T0 + 69 * S, "table": "messages", "complete": True, "count": 4},
            {"ev": "dead", "t": T0 + 50 * S, "mid": "lt-2", "error": "Out of range", "code": 1264, "state": "dead"},
            {"ev": "deads", "t": T0 + 69 * S, "complete": True, "count": 1},
            {"ev": "column", "table": "messages", "column": "seq", "type": "int", "nullable": False},
            {"ev": "status", "t": T0, "name": "Innodb_row_lock_waits", "value": "3", "server": "db-0"}]


def history():
    return [{"ev": "hist", "t": T0 + 80 * S, "topic": "p2p-1", "seq": 2, "mid": "lt-1", "by": "b1", "pod": "im-0"},
            {"ev": "histq", "t": T0 + 81 * S, "topic": "p2p-1", "by": "b1", "lo": 1, "hi": 9, "status": "complete", "found": 1}]


def zstd(content):
    """One frame with one stored block: the library unpacks it like any other."""
    size, n = struct.pack("<I", len(content)), len(content)
    return b"\x28\xb5\x2f\xfd\xa0" + size + struct.pack("<I", n << 3 | 1)[:3] + content


def files():
    accounts = [{"account": a, "user": "usr" + a, "agent": a[0], "index": 1} for a in ("a1", "a2", "b1", "b2")]
    topics = [{"topic": "p2p-1", "kind": "p2p", "members": ["a1", "b1"]},
              {"topic": "grp", "kind": "group", "members": ["a1", "a2", "b1", "b2"], "offline_members": 2}]
    a, b = ledger_a(), ledger_b()
    return {
        "run.json": json.dumps(RUN).encode(), "timeline.json": json.dumps(TIMELINE).encode(),
        "accounts.jsonl": text_of(accounts), "topics.jsonl.gz": gzip.compress(text_of(topics), mtime=0),
        "agents/a/1.jsonl": text_of(a[:15]), "agents/a/2.jsonl.gz": gzip.compress(text_of(a[15:]), mtime=0),
        "agents/b/1.jsonl.zst": zstd(text_of(b)), "agents/b/again.jsonl.zst": zstd(text_of(b)),
        "agents/b/damaged.jsonl": damaged_ledger(),
        "history/h.jsonl.gz": gzip.compress(text_of(history()), mtime=0)[:-3],
        "db/rows.jsonl.zst": zstd(text_of(database())), "db/again.jsonl": text_of(database()),
        **every_source.files(), "notes.txt": b"not an input\n", "odd\nname": b"",
    }


def manifest(content):
    """One hash is wrong, one file is not there, one line is no line, one name is escaped."""
    sums = {name: hashlib.sha256(text).hexdigest() for name, text in content.items() if name != "odd\nname"}
    sums["notes.txt"] = "0" * 64
    sums["gone.txt"] = "1" * 64
    lines = [f"{value}  {name}" for name, value in sorted(sums.items())]
    lines += ["\\" + hashlib.sha256(b"").hexdigest() + "  odd\\nname", "no line of sha256sum"]
    return ("\n".join(lines) + "\n").encode()


def write(top):
    content = files()
    content["manifest.sha256"] = manifest(content)
    for name, text in content.items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text)
    os.makedirs(os.path.join(top, "agents/c"))
    os.symlink("../../agents/b/damaged.jsonl", os.path.join(top, "agents/c/link.jsonl"))
    os.symlink("/etc/passwd", os.path.join(top, "logs/outside.log"))
