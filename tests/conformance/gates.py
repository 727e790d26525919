"""What the gates say: one healthy run, and one change at a time."""
import hashlib

from lines import (SCENARIOS, ack, at, clock, conn, ctrl, data, dead, end, life, line, pub, row, rows, run, skip, start,
                   text)

CASES = []
A = [pub(0), ack(0.1), pub(1, "n", "g"), ack(1.1, "n", 1), data(1.2, "a1", "n", "g")]
B = [data(0.2), data(1.2, "b1", "n", "g"), data(1.2, "c1", "n", "g")]
STORED = [row(id="1"), row("n", topic="g", id="2"), rows(count=2)]
STATUS = ("Innodb_deadlocks", "Innodb_row_lock_waits", "Connection_errors_max_connections")


def case(name, expectation, a=A, b=B, db=STORED, pods=(0, 1, 2), offsets=(0, 0), plan=(), life_a=life, **keys):
    """A run that passes all that the ledger and the database can answer: a1, b1, c1 on three pods, clocks measured, everything stored."""
    pod = {who: {"pod": f"im-server-{n}"} if n is not None else {} for who, n in zip(("a1", "b1", "c1"), pods)}
    files = {"agents/a/a.jsonl": text(life_a("a", a, [conn(-5, "a1", **pod["a1"]), clock(-6, "a", offsets[0])])),
             "agents/b/b.jsonl": text(life("b", b, [conn(-5, "b1", **pod["b1"]), conn(-5, "c1", **pod["c1"]), clock(-6, "b", offsets[1])])),
             **keys.pop("files", {})}
    CASES.append((name, run(db=db, files=files, plan={"systems": [], "planned_accounts": 3, **dict(plan)}, **keys), expectation))


def verdict(result, *reasons):
    code = {"PASS": 0, "FAIL": 1, "INVALID": 2, "INCONCLUSIVE": 3}[result]
    return f" /verdict.result={result} /verdict.exit_code={code}" + "".join(f" /verdict.reasons~{r}" for r in reasons)


def gate(name, result):
    return f" /gates.{name}.result={result}"


def fails(name, title, expectation="", overall="FAIL", **keys):
    case(f"{name}: {title}", gate(name, "fail") + verdict(overall, name) + " " + expectation, **keys)


LEDGER = ("ready", "accept", "loss.durable", "integrity", "loss.realtime", "duplicate", "order", "unknown", "ack.latency", "delivery.latency",
          "disconnects", "connections.balance")
SYSTEMS = {"queue.full": ["prometheus"], "kafka.drain": ["kafka"], "kafka.persist.latency": ["kafka", "prometheus"], "mysql": ["mysql"], "redis": ["redis"],
           "pod.cpu": ["kubernetes"], "pod.memory": ["kubernetes"], "pod.stable": ["kubernetes"], "network": ["kubernetes"], "schema.contract": ["mysql"]}

case("PASS: every applicable gate passed; a gate whose system is not listed is not_applicable",
     "".join(gate(g, "pass") for g in LEDGER) + "".join(gate(g, "not_applicable") for g in SYSTEMS) + verdict("PASS"))
case("INCONCLUSIVE: without systems every gate applies", "".join(gate(g, "not_evaluated") for g in SYSTEMS) + verdict("INCONCLUSIVE", *SYSTEMS), plan={"systems": None})
for system in sorted({s for needed in SYSTEMS.values() for s in needed}):
    case(f"a gate applies when what it needs is listed: {system}",
         "".join(gate(g, "not_evaluated" if needed == [system] else "not_applicable") for g, needed in SYSTEMS.items()) + verdict("INCONCLUSIVE"),
         plan={"systems": [system]})
case("a gate that needs two systems applies when both are listed", gate("kafka.persist.latency", "not_evaluated"), plan={"systems": ["prometheus", "kafka"]})

case("ready: planned accounts not READY", gate("ready", "fail") + verdict("INVALID", "ready.short"), plan={"planned_accounts": 4})
fails("accept", "one refused", a=[*A, pub(2, "x"), ctrl(2.1, "x", 503)])
case("accept: nothing attempted is not evaluated", gate("accept", "not_evaluated"), a=[skip(0)], b=[], db=[])
fails("loss.durable", "one absent", db=[row(id="1"), rows(count=1)])
fails("loss.durable", "one dead letter", db=[row(id="1"), rows(count=1), dead(mid="n")])
fails("integrity", "stored twice", db=[*STORED[:2], row(id="3"), rows(count=3)])
fails("integrity", "a refused message that is stored", a=[*A, pub(2, "x"), ctrl(2.1, "x", 503)], db=[*STORED[:2], row("x", 9, id="3"), rows(count=3)])
fails("integrity", "one seq of a topic with two mids", a=[*A, pub(2, "x"), ack(2.1, "x", 1)], db=[*STORED[:2], row("x", 1, id="3"), rows(count=3)],
      b=[*B, data(2.2, mid="x")])
fails("loss.realtime", "one missing", b=B[:2])
case("loss.realtime: not known without topics.jsonl", gate("loss.realtime", "not_evaluated") + gate("duplicate", "not_evaluated") + gate("order", "not_evaluated"), topics=())
case("loss.realtime: not known where nobody watched", gate("loss.realtime", "not_evaluated") + verdict("INCONCLUSIVE"), b=B[:2],
     files={"agents/b/b.jsonl": text([start(-9, "b"), conn(-5, "b1", pod="x"), conn(-5, "c1", pod="y"), clock(-6, "b", 0), *B[:2], end(3, "b")])})
fails("duplicate", "one", b=[*B, data(5)])
fails("order", "one", a=[*A, pub(2, "x"), ack(2.1, "x", 2)], b=[*B[1:], data(2.2, mid="x", seq=2), data(2.3)], db=[*STORED[:2], row("x", 2, id="3"), rows(count=3)])
fails("unknown", "no answer", a=[*A, pub(2, "x")])
fails("unknown", "an unacked delivery", a=[*A, pub(2, "x"), ctrl(2.1, "x", 503)], b=[*B, data(3, mid="x", seq=9)])
case("ack.latency: p95 500 ms passes", gate("ack.latency", "pass"), a=[pub(0), ack(0.5), *A[2:]], b=[data(0.6), *B[1:]])
fails("ack.latency", "p95 above 500 ms", a=[pub(0), ack(0.500000001), *A[2:]], b=[data(0.6), *B[1:]])
case("delivery.latency: 1 s passes", gate("delivery.latency", "pass") + verdict("PASS"), b=[data(1), *B[1:]])
fails("delivery.latency", "p95 above 1 s", b=[data(1.000000001), *B[1:]])
case("delivery.latency: valid clocks only", gate("delivery.latency", "not_evaluated") + verdict("INCONCLUSIVE", "delivery.latency"), offsets=(0, 6))
fails("disconnects", "at load_start", b=[*B, conn(0, "c1", "closed"), conn(0.000000001, "c1", pod="im-server-2")])
fails("disconnects", "at the last window's end", b=[*B, conn(11, "c1", "closed")])
case("disconnects: after the last window's end", gate("disconnects", "pass") + verdict("PASS"), b=[*B, conn(11.000000001, "c1", "closed")])
case("connections.balance: not known without pods", gate("connections.balance", "not_evaluated") + verdict("INCONCLUSIVE", "connections.balance"), pods=(None,) * 3)
fails("connections.balance", "2 and 1 of 3 is 1.33 times the mean", pods=(0, 0, 1))

MYSQL = {"systems": ["mysql"], "server": "im-server"}


def column(**keys):
    return line("column", **{"table": "messages", "column": "id", "type": "bigint", "nullable": False, "extra": "auto_increment", **keys})


for type_, result in (("bigint", "pass"), ("BIGINT(20)", "pass"), ("int", "fail"), ("mediumint", "fail")):
    case(f"schema.contract: id is {type_}", gate("schema.contract", result), db=[*STORED, column(type=type_)], plan=MYSQL)
case("schema.contract: id may be null", gate("schema.contract", "fail"), db=[*STORED, column(nullable=True)], plan=MYSQL)
case("schema.contract: id is not auto_increment", gate("schema.contract", "fail"), db=[*STORED, column(extra="")], plan=MYSQL)
case("schema.contract: every message table", gate("schema.contract", "fail"), db=[*STORED, column(), column(table="messages2", type="int"), row(id="1", table="messages2")], plan=MYSQL)
case("schema.contract: no schema was read", gate("schema.contract", "not_evaluated"), plan=MYSQL)
case("schema.contract: no gate under tinode, whose stock column is int", gate("schema.contract", "not_applicable"), db=[*STORED, column(type="int")],
     plan={"systems": ["mysql"], "server": "tinode"})
case("mysql: one status snapshot has no differences", gate("mysql", "not_evaluated"), db=[*STORED, line("status", -1, name="Innodb_deadlocks", value="0")], plan=MYSQL)
case("mysql: exact rows are fewer than acked", gate("mysql", "fail") + verdict("FAIL", "mysql"), db=[row(id="1"), rows(count=1)], plan=MYSQL)
case("mysql: a deadlock", gate("mysql", "fail"), plan=MYSQL,
     db=[*STORED, line("status", -1, name="Innodb_deadlocks", value="3"), line("status", 60, name="Innodb_deadlocks", value="4")])
case("mysql: rows that nobody looked for are not known", gate("mysql", "not_evaluated") + gate("loss.durable", "not_evaluated") + verdict("INCONCLUSIVE", "loss.durable"), db=[],
     plan=MYSQL)
case("mysql: a wrong row, though nobody says that all were read", gate("mysql", "fail"), db=[STORED[0], row("n", 9, "g", id="2")], plan=MYSQL)
case("kafka.drain: a dead letter, though nobody says that all were read", gate("kafka.drain", "fail") + gate("loss.durable", "fail"), db=[row(id="1"), rows(count=1), dead(mid="n")], plan={"systems": ["kafka"]})
case("unknown: unacked deliveries are not known without topics.jsonl", gate("unknown", "not_evaluated"), topics=())
case("ready: not known without a plan of accounts", gate("ready", "not_evaluated") + " accounts.planned=null accounts.ready=null", accounts=(), plan={"planned_accounts": None})

# Verdict
REFUSED = [*A, pub(2, "x"), ctrl(2.1, "x", 503)]


def cut(agent, lines, conns):
    return life(agent, lines, conns)[:-1]


case("INVALID outranks FAIL", gate("accept", "fail") + verdict("INVALID", "agent.cut_off"), a=REFUSED, life_a=cut)
case("INVALID: durable_lost stays FAIL", verdict("FAIL", "loss.durable"), db=[row(id="1"), rows(count=1)], life_a=cut)
case("INVALID: integrity stays FAIL", verdict("FAIL", "integrity"), db=[*STORED[:2], row(id="3"), rows(count=3)], life_a=cut)
case("INVALID: a contradiction stays FAIL", verdict("FAIL", "integrity"), a=REFUSED, db=[*STORED[:2], row("x", 9, id="3"), rows(count=3)], life_a=cut)
case("INVALID: dead letters do not stay FAIL", verdict("INVALID"), db=[row(id="1"), rows(count=1), dead(mid="n")], life_a=cut)
case("INVALID: missing deliveries do not stay FAIL", gate("loss.realtime", "fail") + verdict("INVALID"), b=B[:2], life_a=cut)
case("lines lost: INCONCLUSIVE though every gate passed", verdict("INCONCLUSIVE", "ledger.lines_lost"),
     files={"agents/z/z.jsonl": text([start(-9, "z"), end(99, "z", events=7)])})
case("lines lost: a failed gate is FAIL", verdict("FAIL", "accept"), a=REFUSED, files={"agents/z/z.jsonl": text([start(-9, "z"), end(99, "z", events=7)])})
case("agent.missing", verdict("INVALID", "agent.missing"), plan={"agents": ["a", "b", "z"]})


def marks(gap):
    return {f"agents/{n}/m.jsonl": text([line("mark", t, name="load_start", agent=n)]) for n, t in (("a", -1), ("b", -1 + gap))}


case("agent.late_start: 3 s apart is not more", verdict("PASS"), files=marks(3))
case("agent.late_start: more than 3 s apart", verdict("INVALID", "agent.late_start"), files=marks(3.000000001))
case("client.saturated: an overrun", verdict("INVALID", "client.saturated"), a=[*A, skip(2, "x", why="overrun")])
case("client.saturated: not_connected skips speak of the server", verdict("PASS"), a=[*A, skip(2, "x")])
case("client.saturated: queue p99 of 50 ms is not more", verdict("PASS"), a=[dict(A[0], plan=at(-0.05)), *A[1:]])
case("client.saturated: queue p99 above 50 ms", verdict("INVALID", "client.saturated"), a=[dict(A[0], plan=at(-0.050000001)), *A[1:]])


def health(**values):
    return [*A, *(line("health", t, agent="a", **values) for t in (0, 0.5, 1))]


for name, over, under in (("cpu_pct", {"cpu_pct": 70.5}, {"cpu_pct": 70}), ("TIME_WAIT", {"time_wait": 5001}, {"time_wait": 5000}),
                          ("ports", {"ports_used": 61, "ports_total": 100}, {"ports_used": 60, "ports_total": 100}),
                          ("fds", {"fds": 81, "fd_limit": 100}, {"fds": 80, "fd_limit": 100})):
    case(f"client.saturated: {name} above", verdict("INVALID", "client.saturated"), a=health(**over))
    case(f"client.saturated: {name} at the limit", verdict("PASS"), a=health(**under))
case("client.saturated: samples outside the load do not count", verdict("PASS"), a=[*A, line("health", -3, agent="a", time_wait=9999), line("health", 30, agent="a", time_wait=9999)])
case("client.saturated: a shared host's CPU alone says nothing", verdict("PASS"), a=health(cpu_pct=99), plan={"shared_host": True})
case("client.saturated: a shared host's CPU and an overrun", verdict("INVALID", "client.saturated"), a=[*health(cpu_pct=99), skip(2, "x", why="overrun")], plan={"shared_host": True})
ENDS = {"agents/a/m.jsonl": text([line("mark", t, name="load_end") for t in (4, 6)])}
LATE = [*A, line("health", 5, agent="a", time_wait=9999)]
case("missing marks: the latest of an _end", verdict("INVALID", "client.saturated"), a=LATE, files=ENDS)
case("timeline.json wins over marks", verdict("PASS"), a=LATE, files=ENDS, timeline={"load_end": 4})
case("no gate evaluated at all is INCONCLUSIVE", verdict("INCONCLUSIVE"), a=[skip(0)], b=[], db=[], topics=(), accounts=(), plan={"planned_accounts": None, "gates": "trust"})
EMPTY = hashlib.sha256(b"").hexdigest().encode()
case("manifest.mismatch", verdict("INVALID", "manifest.mismatch"), files={"manifest.sha256": EMPTY + b"  topics.jsonl\n"})
case("run.json asks for a profile", "/gates.trust.schedule.result=not_evaluated /gates.accept.result=absent", plan={"gates": "trust"})
case("capacity-step is release and more", gate("accept", "fail") + gate("connections.balance", "pass") + verdict("FAIL"), a=REFUSED, plan={"gates": "capacity-step"})

# Trust: ten messages over 20 s, both agents sampled every 5 s, everything measured and idle
IDLE = {"cpu_pct": 20, "time_wait": 9, "ports_used": 9, "ports_total": 100, "fds": 9, "fd_limit": 100, "nr_throttled": 0}


def trust(name, expectation, spacing=5, queue=0.001, agents="ab", extra=(), until=20, **keys):
    sends = [line for n in range(11) for line in (pub(2 * n, f"m{n}", plan=at(2 * n - queue)), ack(2 * n + 0.01, f"m{n}", n + 1))]
    samples = {agent: [line("health", n * spacing, agent=agent, nr_periods=n * 100, **IDLE) for n in range(int(until / spacing) + 1)] if agent in agents else []
               for agent in "ab"}
    case(f"trust: {name}", expectation, a=[*sends, *samples["a"], *extra], b=[*(data(2 * n + 0.1, mid=f"m{n}", seq=n + 1) for n in range(11)), *samples["b"]],
         db=[*(row(f"m{n}", n + 1) for n in range(11)), rows(count=11)], plan={"gates": "trust", "scenarios": SCENARIOS[:1], **keys.pop("plan", {})}, **keys)


CALIBRATED = [line("calibration", -8, agent="a", ceiling_per_s=10, sockets=1), line("calibration", -8, agent="b", ceiling_per_s=10, sockets=1)]
trust("machine, schedule and clock hold", gate("trust.machine", "pass") + gate("trust.schedule", "pass") + gate("trust.clock", "pass") + " /trust.result=trusted /verdict.exit_code=0",
      extra=CALIBRATED)
trust("samples more than 5 s apart", gate("trust.machine", "not_evaluated") + " /trust.result=not_evaluated", spacing=5.000000001)
trust("samples over less than 95 % of the load", gate("trust.machine", "not_evaluated"), spacing=1, until=14)
trust("samples over 95 % of the load", gate("trust.machine", "pass"), spacing=1, until=19)
trust("one agent without samples", gate("trust.machine", "not_evaluated"), agents="a")
trust("a saturated machine", gate("trust.machine", "fail") + " /trust.result=untrusted /verdict.exit_code=1", extra=[line("health", 3, agent="a", time_wait=5001)])
trust("queue p99 below 50 ms", gate("trust.schedule", "pass"), queue=0.049999999)
trust("queue p99 of 50 ms", gate("trust.schedule", "fail") + " /trust.result=untrusted", queue=0.05)
trust("an overrun", gate("trust.schedule", "fail"), extra=[skip(3, "x", why="overrun")])
trust("a skip for want of a connection", gate("trust.schedule", "pass"), extra=[skip(3, "x")])
trust("a clock 5 ms off", gate("trust.clock", "pass"), offsets=(5, -5))
trust("a clock further off", gate("trust.clock", "fail"), offsets=(5.000001, 0))
trust("no warm-up is a warning", " /trust.result=trusted", extra=CALIBRATED)
trust("no calibration is a warning", " /trust.result=trusted")
