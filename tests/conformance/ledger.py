"""What the format says: damage, the plan, marks, members, events, history and database evidence (sections 1-7)."""
import gzip
import hashlib
import json

from lines import (ACCOUNTS, SCENARIOS, TOPICS, ack, at, clock, conn, ctrl, data, dead, end, fail, hist, histq, life, line,
                   pub, row, rows, run, skip, start, text, without)

CASES = []
LOST = "/findings.ledger.lines_lost.id=ledger.lines_lost"
NOT_LOST = "/findings.ledger.lines_lost.id=absent"


def case(name, expectation, *args, **keys):
    CASES.append((name, run(*args, **keys), expectation))


def raw(record):
    return json.dumps(record).encode()


def nl(record):
    return raw(record) + b"\n"


# Section 1: damage. a's ledger has start, conn, end besides; b's start, conn, conn, end; plus accounts 3, topics 2: 12 records.
SEND = [pub(0), ack(0.003)]

case("accepted without complaint: a byte-order mark", "acked=1 /ingest.rejected=0  /ingest.repaired=0",
     files={"agents/a/a.jsonl": b"\xef\xbb\xbf" + text(life("a", SEND))}, accounts=ACCOUNTS, topics=[TOPICS[0]], b=[])
case("accepted without complaint: CRLF", "acked=1 /ingest.rejected=0 /ingest.repaired=0",
     files={"agents/a/a.jsonl": text(life("a", SEND)).replace(b"\n", b"\r\n")})
case("accepted without complaint: blank lines hold no record", "acked=1 /ingest.rejected=0 /ingest.repaired=0 /ingest.records=13",
     a=["", SEND[0], "", "   ", SEND[1], ""], topics=[TOPICS[0]])
case("accepted without complaint: a complete last line without newline",
     '/ingest.rejected=0 /ingest.repaired=0 /ingest.cut_off_agents=[] acked=1',
     files={"agents/a/a.jsonl": text(life("a", SEND))[:-1]})
case("accepted without complaint: several gzip members, zero padding after them", "acked=1 /ingest.rejected=0 /ingest.repaired=0",
     files={"agents/a/a.jsonl.gz": gzip.compress(text([start(-10, "a"), conn(-5, "a1"), SEND[0]])) +
            gzip.compress(text([SEND[1], end(100, "a")])) + bytes(700), "agents/a/a.jsonl": b""})
case("repaired: records glued on one line", "acked=1 /ingest.rejected=0 /ingest.repaired=1", a=[raw(SEND[0]) + nl(SEND[1])])
case("repaired: a whole record after a torn start, which is one rejected record",
     "acked=1 /ingest.rejected=1 /ingest.repaired=1", a=[b'{"ev":"pub","t":17', nl(SEND[0]), SEND[1]])
case("repaired: NUL runs before or after a whole record", "acked=1 /ingest.rejected=0 /ingest.repaired=2",
     a=[bytes(9) + nl(SEND[0]), raw(SEND[1]) + bytes(9) + b"\n"])
case("repaired: invalid UTF-8 in text is kept as U+FFFD", "acked=1 persistence.exact=1 /ingest.rejected=0 /ingest.repaired=2",
     a=[raw(pub(0, "mX")).replace(b"X", b"\xff") + b"\n", raw(ack(0.1, "mX")).replace(b"X", b"\xff") + b"\n"],
     db=[row("m\ufffd"), rows()])
case("repaired: lone surrogates are kept as U+FFFD", "acked=1 persistence.exact=1 /ingest.rejected=0 /ingest.repaired=2",
     a=[raw(pub(0, "mX")).replace(b"X", b"\\ud800") + b"\n", raw(ack(0.1, "mX")).replace(b"X", b"\\udc00") + b"\n"],
     db=[row("m\ufffd"), rows()])
case("repaired: NaN and Infinity: that field is not measured", "acked=1 latency_ms.queue.n=0 /ingest.rejected=0 /ingest.repaired=2",
     a=[json.dumps(pub(0, plan=float("nan"))), line("health", 1, agent="a", cpu_pct=float("inf")), ack(0.1)])
case("rejected: a torn line", "unknown=1 /ingest.rejected=1 /ingest.repaired=0", a=[pub(0), raw(ack(0.1))[:-9] + b"\n"])
case("rejected: a torn last line is the mark of a cut", 'unknown=1 /ingest.rejected=1 /ingest.cut_off_agents=["a"] by_fail={"cut_off":1}',
     files={"agents/a/a.jsonl": text([start(-10, "a"), pub(0), raw(ack(0.1))[:-9]])})
case("rejected: NUL runs inside a record", "unknown=1 /ingest.rejected=1", a=[pub(0), nl(ack(0.1)).replace(b'"code"', b'"co\0\0de"')])

REQUIRED = {
    "pub": pub(1, "x"), "ctrl": without(ctrl(1, "x"), "code"), "fail": fail(1, mid="x"), "skip": skip(1, "x"), "data": data(1, mid="x"),
    "conn": conn(1, "a1", "open"), "clock": clock(1, "a", 0), "health": line("health", 1, agent="a"), "mark": line("mark", 1, name="x"),
    "calibration": line("calibration", 1, agent="a", ceiling_per_s=9, sockets=1), "start": start(-10, "a"), "end": end(100, "a"),
    "hist": hist(mid="x"), "histq": histq(), "row": row("x"), "rows": rows(), "dead": dead(mid="x"),
    "deads": line("deads", 1, complete=True, count=0), "column": line("column", table="t", column="c", type="int"),
    "status": line("status", 1, name="n", value="1")}
BROKEN = [without(record, key) for record in REQUIRED.values() for key in record if key != "ev"]
case("rejected: a record without a required key, each of every event", f"unsent=0 acked=1 /ingest.rejected={len(BROKEN)}",
     a=[*SEND, *BROKEN])
WRONG = [dict(record, **{key: {}}) for record in REQUIRED.values() for key in record if key != "ev"]
case("rejected: a required key of the wrong type, each of every event", f"acked=1 /ingest.rejected={len(WRONG)}", a=[*SEND, *WRONG])
case("rejected: a time that is not an integer", "planned=1 /ingest.rejected=4",
     a=[*SEND, *(dict(pub(1, "x"), t=t) for t in (1.79e18, str(at(1)), True, None))])
case("rejected: a time written with an exponent or a fraction", "planned=1 /ingest.rejected=2",
     a=[*SEND, *(raw(pub(1, "x")).replace(str(at(1)).encode(), t) + b"\n" for t in (b"179e16", b"1790000000000000000.0"))])
case("rejected: accounts and topics of the wrong type", "acked=1 accounts.planned=3 /ingest.rejected=4", a=SEND,
     accounts=[*ACCOUNTS, {"user": "u"}, {"account": 7}],
     topics=[*TOPICS, {"topic": "h", "kind": "p2p", "members": "a1"}, {"kind": "p2p", "members": []}])
case("rejected: one object that gives a used key two different values", "unknown=1 /ingest.rejected=1",
     a=[pub(0), nl(ack(0.1)).replace(b'"code": 202', b'"code":202,"code":503')])
case("harmless: equal repeats, and different ones of a key that is not used", "acked=1 /ingest.rejected=0",
     a=[pub(0), nl(ack(0.1)).replace(b'"code": 202', b'"code":202,"code":202,"x":1,"x":2')])
case("two lines of one agent that are equal in every byte are one, over all its files", "/ingest.resent=2 delivery.duplicate=0 acked=1",
     a=SEND, b=[data(0.1), data(0.1)], files={"agents/b/more.jsonl": text([data(0.1)])})
case("lines that differ in a byte are two", "/ingest.resent=0 delivery.duplicate=1", a=SEND, b=[data(0.1), json.dumps(data(0.1)) + " "])
case("equal lines of two agents are two", "/ingest.resent=0 delivery.duplicate=1", a=[*SEND, data(0.1)], b=[data(0.1)])
case("two files of one agent with equal content are one", "/ingest.resent=4 delivery.duplicate=0 delivery.unique=1 /ingest.cut_off_agents=[]",
     a=SEND, files={f"agents/b/{n}.jsonl": text(life("b", [data(0.1)], [conn(-5, "b1")])) for n in ("b", "c")})
case("equal files of two agents are a finding", "/findings.ledger.equal_files.id=ledger.equal_files delivery.duplicate=1",
     a=SEND, files={f"agents/{n}/x.jsonl": text([data(0.1)]) for n in "ab"})
case("a ledger file is recognised by its lines, not by its name", "acked=1 persistence.exact=1 persistence.history_found=1 delivery.unique=1",
     a=[*SEND, hist(), histq(), rows()], b=[data(0.1), row()])
case("integers beyond 2^53 are exact", "persistence.exact=1 persistence.mismatch=1 anomalies.ack_data_mismatch=1",
     a=[pub(0), ack(0.1, seq=9007199254740993), pub(1, "n"), ack(1.1, "n", 9007199254740995)],
     b=[data(0.2, seq=9007199254740993), data(1.2, mid="n", seq=9007199254740994)],
     db=[row(seq=9007199254740993), row("n", 9007199254740994), rows(count=2)])
case("unknown keys are counted, unknown ev values too", "acked=1 /ingest.unknown_events=1 /ingest.unknown_keys=2 /ingest.rejected=0",
     a=[pub(0, colour="red"), ack(0.1, colour=None), line("novel", 3, x=1)])
case("any other file that fits no row is not read; the auditor's own output is no input", '/ingest.files_not_read=["notes.txt","shots/a.png"]', a=SEND,
     files={"notes.txt": b"hello", "shots/a.png": b"\x89PNG", "report.html": b"<p>", "impaudit.db-wal": b"x", "report.md": b"x"})
OTHERS = ("kafka/lag.jsonl", "redis/r@1.info", "redis/slow.json", "metrics/im@1.prom", "metrics/q.json", "kube/pods.json", "logs/im-server-0.log", "logs/im-server-0.log.1",
          "logs/im-server-0/main.log", "loadgen/k6.json", "logs/im-server-1.log.gz")
case("files of the other rows are no files that are not read", "/ingest.files_not_read=[] acked=1 /ingest.rejected=0", a=SEND,
     files={name: gzip.compress(b"I x\n") if name.endswith(".gz") else b"" if name.endswith("jsonl") else b"{}\n" for name in OTHERS})
CUT = gzip.compress(text(life("b", [clock(n, "b", 0) for n in range(20)], [conn(-5, "b1")])), compresslevel=0)[:-60]
case("a cut compressed file makes missing an upper bound", 'delivery.missing_upper_bound=true /ingest.cut_off_agents=["b"]', a=SEND,
     files={"agents/b/b.jsonl": b"", "agents/b/c.jsonl.gz": CUT})
RUN_JSON = text([{"format": 1}])
case("manifest.sha256: every hash is checked", "/verdict.result=INVALID", a=SEND,
     files={"run.json": RUN_JSON, "manifest.sha256": hashlib.sha256(b"x").hexdigest().encode() + b"  run.json\n"})
case("manifest.sha256: a missing file is a mismatch, and no file that is not read", "/verdict.result=INVALID /ingest.files_not_read=[]", a=SEND,
     files={"manifest.sha256": hashlib.sha256(b"x").hexdigest().encode() + b"  gone.json\n"})
case("manifest.sha256: equal hashes are no mismatch", "/verdict.result=INCONCLUSIVE", a=SEND, b=[data(0.1)], db=[row(), rows()],
     files={"run.json": RUN_JSON, "manifest.sha256": hashlib.sha256(RUN_JSON).hexdigest().encode() + b" *run.json\n"})

# Section 2: the plan
TWO = [{"id": "s1", "kind": "p2p", "planned_messages": 5}, {"id": "s2", "kind": "p2p", "planned_messages": 7}]
case("a message belongs to the scenario named by the sc of its first pub or skip", "planned=12 /scenarios.s2.acked=1 /scenarios.s1.acked=0",
     a=[skip(-1, sc="s2"), pub(0, sc="s1"), ack(0.1)], plan={"scenarios": TWO})
case("else to the only scenario, whatever its kind", "/scenarios.s2.acked=1", a=SEND, plan={"scenarios": [SCENARIOS[1]]})
case("else to the one whose kind fits its topic", "/scenarios.s1.acked=1 /scenarios.s2.acked=0", a=SEND)
case("a kind that two scenarios have fits none: the total alone, with a finding",
     "planned=13 acked=1 never_tried=12 /scenarios.s1.acked=0 /scenarios.s2.acked=0 /findings.message.no_scenario.id=message.no_scenario",
     a=SEND, plan={"scenarios": TWO})
case("an sc that run.json does not list fits none, also with one scenario", "acked=1 /scenarios.s1.acked=0",
     a=[pub(0, sc="zz"), ack(0.1)], plan={"scenarios": [SCENARIOS[0]]})
case("a topic of unknown kind fits no scenario by kind", "acked=1 /scenarios.s1.acked=0 /scenarios.s2.acked=0", a=[pub(0, topic="u"), ack(0.1)])
NO_DRAIN = [{"id": "s1", "kind": "p2p"}, {"id": "s2", "kind": "group"}]
case("drain_s defaults to 30 (p2p), the end of the window included", "delivery.unique=1 delivery.late=1",
     a=[pub(0, "x"), ack(0.2, "x", 2), *SEND], b=[data(30), data(30.000000001, mid="x", seq=2)], plan={"scenarios": NO_DRAIN})
case("drain_s defaults to 60 (group), the end of the window included", "delivery.unique=1 delivery.late=1 delivery.missing=1",
     a=[pub(0, topic="g"), ack(0.1)], b=[data(60, topic="g"), data(60.000000001, "c1", topic="g")], plan={"scenarios": NO_DRAIN})
case("a message that fits none has the default drain of its kind", "delivery.unique=1 delivery.late=0",
     a=[pub(0, sc="zz"), ack(0.1)], b=[data(30)])
WARM = [{"id": "w", "kind": "p2p", "planned_messages": 4, "warmup": True}, {"id": "s1", "kind": "p2p", "planned_messages": 9, "drain_s": 10}]
case("a scenario with warmup counts in nothing but excluded, and is taken out of the plan",
     "planned=9 excluded=1 acked=1 by_code={\"202\":1} delivery.expected=1 delivery.unique=0 /scenarios.s1.planned=9 /ingest.foreign.data=0",
     a=[pub(-2, "x", sc="w"), ack(-1.9, "x", 7), pub(0, sc="s1"), ack(0.1)], b=[data(-1.8, mid="x", seq=7)], plan={"scenarios": WARM})
case("a message whose first pub lies in warmup is excluded and out of the plan, retries included",
     "planned=8 excluded=2 acked=1 by_skip={} never_tried=7",
     a=[pub(-2, "x"), pub(3, "x"), ack(3.1, "x", 7), skip(-1, "y"), *SEND], plan={"scenarios": [dict(SCENARIOS[0], planned_messages=10)],
                                                                 "warmup": {"start": at(-3), "end": at(-0.5)}})
case("both ends of warmup lie in it", "excluded=2 acked=1", a=[pub(-3, "x"), pub(-1, "y"), *SEND], plan={"warmup": {"start": at(-3), "end": at(-1)}})
case("excluded messages do not open a scenario's window", "delivery.expected=3 delivery.missing=2 delivery.not_ready=0",
     a=[pub(-6, "x", "g"), pub(0, topic="g"), ack(0.1)], b=[data(0.2, topic="g")], plan={"warmup": {"start": at(-9), "end": at(-5.5)}})
case("without run.json: one scenario for each kind of topic, planned is the number of distinct mids",
     "planned=3 acked=2 never_tried=0 delivery.unique=1 delivery.late=1", plan=None,
     a=[pub(0), ack(0.1), pub(0, "y", "g"), skip(0, "z"), ack(0.2, "y")], b=[data(30.5), data(59, mid="y", topic="g")])
case("without topics.jsonl deliveries are not evaluated, the rest is",
     "acked=1 delivery=null rates.loss_rate=null persistence.exact=1 "
     "latency_ms.ack.n=1 classes.unverified=1", a=SEND, b=[data(0.1)], topics=(), db=[row(), rows()])
FOREIGN = [data(1, mid="q"), ctrl(1, "q", 503), fail(1, mid="q"), row("q"), hist(mid="q"), dead(mid="q")]
case("foreign lines are counted by kind, in no figure",
     '/ingest.foreign={"data":1,"ctrl":1,"fail":1,"row":1,"hist":1,"dead":1} planned=1 by_code={"202":1} by_fail={} ' + NOT_LOST,
     a=[*SEND, *FOREIGN], plan={"client_mid_prefix": "m"})
for each in FOREIGN:
    case(f"foreign {each['ev']} with the run's prefix: ledger lines are lost", LOST, a=[*SEND, dict(each, mid="mq")], plan={"client_mid_prefix": "m"})
case("an empty prefix is every mid's", "acked=1", a=[*SEND, data(1, mid="q")], plan={"client_mid_prefix": ""})
case("a ctrl with an id that no pub has is foreign", "/ingest.foreign.ctrl=1 unknown=1", a=[pub(0, id="1"), without(ack(0.1, id="2"), "mid")])

# Section 3: marks. a1 is READY from -5 on, c1 closes at 3.
CLOSES = [conn(3, "c1", "closed")]
case("load_start is the first pub", "accounts.ready=3", a=[pub(2), ack(2.1), pub(4, "n")], b=CLOSES)
case("missing marks are derived from the mark lines, the earliest of a _start", "accounts.ready=0",
     a=[*SEND, line("mark", -6, name="load_start"), line("mark", 4, name="load_start")])
case("timeline.json wins over mark lines", "accounts.ready=2", a=[*SEND, line("mark", -6, name="load_start")], b=CLOSES, timeline={"load_start": 4})

# Section 4: accounts and topics
GROUP = [pub(0, topic="g"), ack(0.1)]
case("group: every READY member, the sender included", "delivery.expected=3 delivery.unique=3 delivery.echo=0",
     a=[*GROUP, data(0.2, "a1", topic="g")], b=[data(0.2, topic="g"), data(0.2, "c1", topic="g")])
case("p2p: the members other than the sender; the sender's own copy is an echo", "delivery.expected=1 delivery.unique=1 delivery.echo=1",
     a=[*SEND, data(0.2, "a1")], b=[data(0.2)])
case("p2p: a sender that is no member: all members are expected", "delivery.expected=2", a=[pub(0, from_="c1"), ack(0.1)])
case("a member that never became READY fails the readiness gate, in the plan and not expected",
     "delivery.expected=2 delivery.not_ready=1 accounts.planned=3 accounts.ready=2 /gates.ready.result=fail /verdict.result=INVALID",
     a=GROUP, files={"agents/b/b.jsonl": text(life("b", [data(0.2, topic="g")], [conn(-5, "b1")]))})
case("not_ready is members not READY times acked group messages", "delivery.not_ready=4", b=[conn(-4, "c1", "closed"), conn(-4, "b1", "refused")],
     a=[*GROUP, pub(1, "n", "g"), ack(1.1, "n", 2), pub(2, "o", "g"), pub(3, "q"), ack(3.1, "q", 1)])
case("one that disconnects later stays in the denominator", "delivery.expected=3 delivery.missing=3 delivery.receiver_disconnected=1",
     a=GROUP, b=[conn(0.05, "c1", "closed")])
case("members listed twice are one", "delivery.expected=1 delivery.missing=0 delivery.unique=1", a=SEND, b=[data(0.1)],
     topics=[{"topic": "p", "kind": "p2p", "members": ["a1", "b1", "b1", "a1"]}])
case("a topic listed twice with the same members is listed once", "delivery.expected=1 delivery.unique=1", a=SEND, b=[data(0.1)],
     topics=[TOPICS[0], {"topic": "p", "kind": "p2p", "members": ["b1", "a1"], "x": 1}])
case("a topic listed twice with different members: observed is na, its copies in no delivery figure",
     "delivery.expected=0 delivery.unique=0 delivery.unexpected_receiver=0 classes.unverified=1 "
     'matrix=[{"outcome":"acked","observed":"na","persisted":"exact","count":1}]', a=SEND, b=[data(0.1)], db=[row(), rows()],
     topics=[*TOPICS, {"topic": "p", "kind": "p2p", "members": ["a1", "c1"]}])
case("a topic that is not listed: observed is na, unverified", "delivery.expected=0 delivery.unexpected_receiver=0 classes.unverified=1",
     a=SEND, b=[data(0.1)], db=[row(), rows()], topics=[TOPICS[1]])
case("a message without any expected receiver is unverified, never ok", "delivery.expected=0 classes.unverified=1 classes.ok=0 rates.loss_rate=null",
     a=SEND, db=[row(), rows()], topics=[{"topic": "p", "kind": "p2p", "members": ["a1"]}])
case("accounts listed twice are one", "accounts.planned=3 accounts.ready=3", a=SEND, accounts=[*ACCOUNTS, dict(ACCOUNTS[0], user="u")])
case("planned_accounts is the plan", "accounts.planned=5 accounts.ready=3 /gates.ready.result=fail", a=SEND, plan={"planned_accounts": 5})

# Section 5: events
case("ctrl by id alone", "acked=1 latency_ms.ack.p50=100", a=[pub(0, id="1"), without(ack(0.1, id="1"), "mid")])
case("an id is unique within its agent only", "acked=1 unknown=1 /agents.b.acked=1 /agents.a.unknown=1",
     a=[pub(0, id="1")], b=[pub(0, "n", from_="b1", id="1"), without(ack(0.1, id="1"), "mid")])
case("an answer in another agent's ledger than its id's pub goes by its mid", "acked=1 latency_ms.ack.p50=1000",
     a=[pub(0, id="1"), pub(1, id="2")], b=[ack(2, id="1")])
case("fail write with bytes 0: unsent", "unsent=1 attempted=0 by_fail={\"write\":1}", a=[pub(0), fail(0, "write", bytes=0)])
case("fail write with bytes: unknown", "unknown=1 unsent=0", a=[pub(0), fail(0, "write", bytes=7)])
case("fail write without bytes: unknown", "unknown=1 unsent=0", a=[pub(0), fail(0, "write")])
case("fail timeout with bytes 0: unknown", "unknown=1 unsent=0", a=[pub(0), fail(0, bytes=0)])
case("skips by reason", 'unsent=2 by_skip={"not_connected":1,"overrun":1}', a=[skip(0), skip(1, "n", why="overrun")])
case("an agent without end was cut off", '/ingest.cut_off_agents=["a"] by_fail={"cut_off":1} /verdict.result=INVALID',
     files={"agents/a/a.jsonl": text([start(-10, "a"), pub(0)])})
case("events: lines of this agent before its end, over all its files", NOT_LOST,
     files={"agents/a/a.jsonl": text([start(-10, "a"), *SEND, end(100, "a", events=5)]), "agents/a/0.jsonl": text([conn(-5, "a1"), clock(-6, "a", 0)])})
for count in (4, 6):
    case(f"events that differ from the lines read ({count} of 5) are ledger.lines_lost", LOST + " /verdict.result=INCONCLUSIVE",
         files={"agents/a/a.jsonl": text([start(-10, "a"), *SEND, end(100, "a", events=count)]),
                "agents/a/0.jsonl": text([conn(-5, "a1"), clock(-6, "a", 0)])}, b=[data(0.2)], db=[row(), rows()])
case("a planned agent that left no ledger", '/ingest.absent_agents=["z"] /verdict.result=INVALID', a=SEND, plan={"agents": ["a", "b", "z"]})
case("a restarted agent: every stretch has its end", '/ingest.cut_off_agents=[]',
     files={"agents/a/a.jsonl": text([*life("a", SEND), start(101, "a"), end(102, "a")])})
case("a restarted agent: a stretch from a start without end is cut off", '/ingest.cut_off_agents=["a"]',
     files={"agents/a/a.jsonl": text([start(-10, "a"), *SEND, start(1, "a"), end(102, "a")])})

# Section 6: history
ACKED = [pub(0), ack(0.1, seq=5)]
case("history: covered by a complete query after the last pub", "persistence.absent=1 classes.durable_lost=1", a=ACKED, history=[histq()])
case("history: lo and hi are inclusive", "persistence.absent=1", a=ACKED, history=[histq(lo=5, hi=5)])
case("history: a query at the very time of the last pub covers", "persistence.absent=1", a=ACKED, history=[histq(0)])
case("history: a query before the scenario's last pub covers nothing", "persistence.unchecked=2", a=[*ACKED, pub(9, "n"), ack(9.1, "n", 6)], history=[histq(8)])
case("history: outside the range", "persistence.unchecked=1", a=ACKED, history=[histq(lo=6), histq(hi=4)])
case("history: another topic's range", "persistence.unchecked=1", a=ACKED, history=[histq(topic="g")])
for status in ("timeout", "disconnected", "limited"):
    case(f"history: {status} covers nothing", "persistence.unchecked=1", a=ACKED, history=[histq(status=status)])
case("history: read back several times, or by several accounts, is one", "persistence.exact=1 persistence.history_found=1 persistence.witness_conflicts=null",
     a=ACKED, history=[hist(seq=5), hist(51, 5), hist(52, 5, by="a1"), histq()])
case("history: two seqs found are duplicate", "persistence.duplicate=1 classes.integrity=1", a=ACKED, history=[hist(seq=5), hist(seq=6), histq()])
case("history: another seq found is a mismatch", "persistence.mismatch=1 classes.integrity=1", a=ACKED, history=[hist(seq=6)])

case("history: two ranges cover what lies in one of them", "persistence.absent=1", a=ACKED, history=[histq(hi=4), histq(lo=5, hi=9)])
case("history: the same mid on another topic is a mismatch", "persistence.mismatch=1", a=ACKED, history=[hist(seq=5, topic="g")])

# Section 7: database
SENT = [pub(0), ack(0.1)]
GONE = "persistence.absent=1 classes.durable_lost=1"
OPEN = "persistence.unchecked=1 classes.unverified=1"
case("one row with mid, topic and seq is exact", "persistence.exact=1", a=SENT, db=[row(), rows()])
case("no row under complete evidence", GONE, a=SENT, db=[rows(count=0)])
case("rows at the very time of the last pub", GONE, a=SENT, db=[rows(0, 0)])
case("rows before the last pub", OPEN, a=SENT, db=[rows(-1, 0)])
case("rows not complete", OPEN, a=SENT, db=[rows(count=0, complete=False)])
case("a rejected record in the rows' file", OPEN, a=SENT, db=[rows(count=0), "{"])
case("a rejected record in another file of rows", GONE, a=SENT, db=[rows(count=0)], files={"db/status.jsonl": b"{\n"})
case("every table that has rows lines must be complete", OPEN, a=SENT, db=[rows(count=0), rows(count=0, complete=False, table="other")])
case("a table for another kind says nothing", GONE, a=SENT, db=[rows(count=0), rows(count=0, complete=False, table="other", kind="group")])
case("a table for the message's kind does", OPEN, a=SENT, db=[rows(count=0), rows(count=0, complete=False, table="other", kind="p2p")])
case("rows of another kind alone cover nothing", OPEN, a=SENT, db=[rows(count=0, kind="group")])
case("without kind a count that differs from the distinct rows is not complete", OPEN, a=SENT, db=[rows(count=1)])
case("foreign rows are rows of the table too", GONE, a=SENT, db=[row("zz"), rows(count=1)])
case("with kind the count is not compared", GONE, a=SENT, db=[rows(count=7, kind="p2p")])
case("of several rows lines the last counts", GONE, a=SENT, db=[rows(40, 0, False), rows(41, 0)])
case("of several rows lines the last counts, for the worse too", OPEN, a=SENT, db=[rows(40, 0), rows(41, 0, False)])
case("rows lines of another kind are others", OPEN, a=SENT, db=[rows(40, 0, False), rows(41, 0, kind="p2p")])
case("absence stands on the last check that is complete", GONE, a=SENT, db=[rows(40, 0), rows(50, 0, False, check=2)])
case("presence on any check", "persistence.exact=1", a=SENT, db=[row(check=3), rows(40, 0), rows(50, 0, check=2), rows(60, 1, check=3)])
case("a row of check 1 that check 2 no longer has is present", "persistence.exact=1", a=SENT, db=[row(), rows(40), rows(50, 0, check=2)])
case("check 1 too early, check 2 complete", GONE, a=SENT, db=[rows(-1, 0), rows(50, 0, check=2)])
case("the same row read twice is one, also in two checks", "persistence.exact=1 persistence.duplicate=0",
     a=SENT, db=[row(id="1"), row(id="1", check=2), rows(40), rows(41, check=2)])
case("rows without id and equal are one", "persistence.exact=1", a=SENT, db=[row(), row(x=1), rows()])
case("two ids in one table are duplicate", "persistence.duplicate=1 classes.integrity=1", a=SENT, db=[row(id="1"), row(id="2"), rows(count=2)])
case("two rows, one of another seq, are duplicate", "persistence.duplicate=1", a=SENT, db=[row(), row(seq=2), rows(count=2)])
case("one row in each of two tables is exact", "persistence.exact=1", a=SENT, db=[row(), row(table="other"), rows(), rows(table="other")])
case("one right, one wrong row in two tables is a mismatch", "persistence.mismatch=1", a=SENT, db=[row(), row(seq=2, table="other")])
case("topic names compare byte for byte", "persistence.mismatch=1 classes.integrity=1", a=SENT, db=[row(topic="P"), rows()])
case("another seq is a mismatch", "persistence.mismatch=1", a=SENT, db=[row(seq=2), rows()])
case("a row stands without any rows line", "persistence.exact=1", a=SENT, db=[row()])
case("created as RFC 3339 or ns", "persistence.exact=2 /ingest.rejected=0", a=[*SENT, pub(1, "n"), ack(1.1, "n", 2)],
     db=[row(created="2026-09-21T14:13:20+08:00"), row("n", 2, created=at(1)), rows(count=2)])
case("dead letter, state dead by default", "persistence.dead_letter=1 classes.dead_lettered=1", a=SENT, db=[rows(count=0), dead()])
case("dead letter needs no complete evidence", "persistence.dead_letter=1", a=SENT, db=[dead(state="dead", code=1264)])
case("rows decide before dead letters", "persistence.exact=1 classes.dead_lettered=0", a=SENT, db=[row(), dead()])
case("the latest state decides: replayed", GONE, a=SENT, db=[rows(count=0), dead(40), dead(45, state="replayed")])
case("the latest state decides by time, not by line", GONE, a=SENT, db=[rows(count=0), dead(45, state="replayed"), dead(40)])
case("the latest state decides: dead again", "persistence.dead_letter=1", a=SENT, db=[dead(40, state="replayed"), dead(45)])
case("the latest state decides: of one time that of the later check", GONE, a=SENT,
     db=[rows(count=0), dead(40, state="replayed", check=10), dead(40, check=2)])
case("replayed and stored", "persistence.exact=1", a=SENT, db=[dead(40), dead(45, state="replayed"), row(check=2), rows(44, 0), rows(50, check=2)])
case("a second look-up for what was missing alone", "persistence.exact=2 persistence.absent=1", a=[*SENT, pub(1, "n"), ack(1.1, "n", 2), pub(2, "o"), ack(2.1, "o", 3)],
     db=[row(), rows(), row("n", 2, check=2), rows(60, 1, check=2)])
case("a second look-up that broke off", "persistence.exact=2 persistence.absent=1", a=[*SENT, pub(1, "n"), ack(1.1, "n", 2), pub(2, "o"), ack(2.1, "o", 3)],
     db=[row(), rows(), row("n", 2, check=2), rows(60, 1, False, check=2)])
case("a folder within db is db", "persistence.exact=1", a=SENT, files={"db/check-1/rows.jsonl": text([row(), rows()])})
case("deeper than that is not read", 'persistence.unchecked=1 /ingest.files_not_read=["db/check-1/deep/rows.jsonl"]', a=SENT,
     files={"db/check-1/deep/rows.jsonl": text([row(), rows()])})

# A look-up that is repeated: what is said of the mismatch
TWICE = {"a": SENT, "plan": {"server": "im-server"}}
case("repaired: nobody knows by what", '/repairs.total=1 /repairs.how={"replay":0,"backlog":0,"not_known":1} persistence.exact=1',
     **TWICE, db=[rows(50, 0), row(check=2), rows(60, check=2)])
case("repaired: from the ack to between the two look-ups", '/repairs.median={"least_ns":49900000000,"most_ns":59900000000}',
     **TWICE, db=[rows(50, 0), row(check=2), rows(60, check=2)])
case("repaired: created is by another clock", '/repairs.median={"least_ns":49900000000,"most_ns":59900000000}',
     **TWICE, db=[rows(50, 0), row(check=2, created=at(55)), rows(60, check=2)])
case("repaired: created before the look-up that missed it says nothing", '/repairs.median={"least_ns":49900000000,"most_ns":59900000000}',
     **TWICE, db=[rows(50, 0), row(check=2, created=at(1)), rows(60, check=2)])
case("repaired: the last look-up that missed it", '/repairs.median={"least_ns":54900000000,"most_ns":59900000000}',
     **TWICE, db=[rows(50, 0), rows(55, 0, check=2), row(check=3), rows(60, check=3)])
case("repaired: one that did not end missed nothing", '/repairs.median={"least_ns":49900000000,"most_ns":59900000000}',
     **TWICE, db=[rows(50, 0), rows(55, 0, False, check=2), row(check=3), rows(60, check=3)])
case("repaired: the first look-up did not end", "/repairs.total=0", **TWICE, db=[rows(50, 0, False), row(check=2), rows(60, check=2)])
case("repaired: replayed", '/repairs.how={"replay":1,"backlog":0,"not_known":0}',
     **TWICE, db=[dead(40), rows(50, 0), dead(45, state="replayed", check=2), row(check=2), rows(60, check=2)])
LAG = {"kafka/lag.jsonl": text([line("lag", 49, group="g", topic="t", partition=0, committed=1, end=2)])}
case("repaired: the backlog drained", '/repairs.how={"replay":0,"backlog":1,"not_known":0}', **TWICE, files=LAG,
     db=[rows(50, 0), row(check=2), rows(60, check=2)])
case("repaired: lag, but a letter that is dead", '/repairs.how={"replay":0,"backlog":0,"not_known":1}', **TWICE, files=LAG,
     db=[dead(40), rows(50, 0), row(check=2), rows(60, check=2)])
case("repaired: a column that was changed meanwhile", "/repairs.column_changed=1", **TWICE,
     db=[rows(50, 0), line("column", 50, table="messages", column="id", type="int"), row(check=2), rows(60, check=2),
         line("column", 60, table="messages", column="id", type="bigint")])
case("repaired: two types of which nobody says when", "/repairs.column_changed=0", **TWICE,
     db=[rows(50, 0), line("column", table="messages", column="id", type="int"), row(check=2), rows(60, check=2),
         line("column", table="messages", column="id", type="bigint")])

# Section 12: the journal
JOURNAL = [line("server", 40, system="mysql", source="m", id="x"), line("collected", 41, system="mysql", source="m", what="rows", status="ok"),
           line("collected", 42, system="mysql", source="m", what="dead letters", status="denied", why="SELECT")]
case("the journal of a collector is in no figure", "acked=1 persistence.unchecked=1 /ingest.unknown_events=0 /ingest.unknown_keys=0 /collected.not_all_got=1",
     a=SENT, files={"collect/1.jsonl": text(JOURNAL)})
case("a request needs its status", "/ingest.rejected=1", a=SENT, files={"collect/1.jsonl": text([line("collected", 1, system="mysql", what="rows")])})
case("a journal elsewhere is not read", '/ingest.files_not_read=["collect/a/1.jsonl"]', a=SENT, files={"collect/a/1.jsonl": text(JOURNAL)})
