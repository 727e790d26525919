"""Ledger lines and results directories in few words. Times are seconds after T0; names ending in _ are Python's own words."""
import json

T0 = 1_790_000_000_000_000_000
TOPICS = [{"topic": "p", "kind": "p2p", "members": ["a1", "b1"]},
          {"topic": "g", "kind": "group", "members": ["a1", "b1", "c1"]}]
ACCOUNTS = [{"account": "a1", "agent": "a"}, {"account": "b1", "agent": "b"}, {"account": "c1", "agent": "b"}]
SCENARIOS = [{"id": "s1", "kind": "p2p", "drain_s": 10}, {"id": "s2", "kind": "group", "drain_s": 10}]


def at(seconds):
    return T0 + round(seconds * 1_000_000_000)


def line(ev, t=None, **keys):
    keys = {k.rstrip("_"): v for k, v in keys.items()}
    return {"ev": ev, **({} if t is None else {"t": at(t)}), **keys}


def without(record, *keys):
    return {k: v for k, v in record.items() if k not in keys}


def pub(t, mid="m", topic="p", from_="a1", **keys):
    return line("pub", t, mid=mid, topic=topic, from_=from_, **keys)


def ctrl(t, mid="m", code=202, **keys):
    return line("ctrl", t, mid=mid, code=code, **keys)


def ack(t, mid="m", seq=1, **keys):
    return ctrl(t, mid, seq=seq, **keys)


def fail(t, why="timeout", mid="m", **keys):
    return line("fail", t, mid=mid, why=why, **keys)


def skip(t, mid="m", topic="p", from_="a1", why="not_connected", **keys):
    return line("skip", t, mid=mid, topic=topic, from_=from_, why=why, **keys)


def data(t, to="b1", mid="m", topic="p", seq=1, **keys):
    return line("data", t, mid=mid, topic=topic, seq=seq, to=to, **keys)


def conn(t, who, state="ready", **keys):
    return line("conn", t, who=who, state=state, **keys)


def start(t, agent):
    return line("start", t, agent=agent)


def end(t, agent, **keys):
    return line("end", t, agent=agent, **keys)


def clock(t, agent, offset_ms):
    return line("clock", t, agent=agent, offset_ns=round(offset_ms * 1_000_000))


def hist(t=50, seq=1, mid="m", topic="p", by="b1"):
    return line("hist", t, topic=topic, seq=seq, mid=mid, by=by)


def histq(t=50, lo=1, hi=100, status="complete", topic="p", by="b1"):
    return line("histq", t, topic=topic, by=by, lo=lo, hi=hi, status=status)


def row(mid="m", seq=1, topic="p", table="messages", **keys):
    return line("row", table=table, mid=mid, topic=topic, seq=seq, **keys)


def rows(t=50, count=1, complete=True, table="messages", **keys):
    return line("rows", t, table=table, complete=complete, count=count, **keys)


def dead(t=40, mid="m", error="Out of range", **keys):
    return line("dead", t, mid=mid, error=error, **keys)


def text(lines):
    """Lines of a file: records, text, bytes (as they are, without a line end)."""
    if isinstance(lines, (bytes, bytearray)):
        return bytes(lines)
    out = b""
    for each in lines:
        if isinstance(each, bytes):
            out += each
        else:
            out += ((each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)) + "\n").encode()
    return out


def life(agent, lines, conns=()):
    """The ledger of an agent that watches from -10 s to 100 s."""
    return [start(-10, agent), *conns, *lines, end(100, agent)]


def run(a=(), b=(), db=(), history=(), topics=TOPICS, accounts=ACCOUNTS, plan=(), timeline=None, conns=True, files=()):
    """The files of a run: agent a has a1; agent b has b1 and c1, all READY before. `plan` changes run.json; None leaves it out."""
    ready = {"a": [conn(-5, "a1")], "b": [conn(-5, "b1"), conn(-5, "c1")]} if conns else {"a": [], "b": []}
    out = {"agents/a/a.jsonl": life("a", a, ready["a"]), "agents/b/b.jsonl": life("b", b, ready["b"]),
           "db/rows.jsonl": db, "history/h.jsonl": history, "topics.jsonl": topics, "accounts.jsonl": accounts}
    if plan is not None:
        out["run.json"] = [{"format": 1, "scenarios": SCENARIOS, **dict(plan)}]
    if timeline:
        out["timeline.json"] = [{name: at(t) for name, t in timeline.items()}]
    out.update(dict(files))
    return {path: text(lines) for path, lines in out.items() if lines or path in dict(files)}
