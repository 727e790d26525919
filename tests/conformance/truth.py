"""What the truth model says: outcome, observed, persisted, class, rates, latency, rulings. Windows end 10 s after the last pub."""
from lines import (ACCOUNTS, SCENARIOS, ack, clock, conn, ctrl, data, dead, end, fail, hist, histq, life, pub, row, rows,
                   run, skip, start, text, without)

CASES = []
LOST = "/findings.ledger.lines_lost.id=ledger.lines_lost"


def case(name, expectation, *args, **keys):
    CASES.append((name, run(*args, **keys), expectation))


# Section 1: outcome
case("acked: seq 1 is enough", "acked=1", a=[pub(0), ack(0.1, seq=1)])
for given in ({}, {"seq": 0}, {"seq": -1}, {"seq": "1"}):
    case(f"2xx without a usable seq ({given}): unknown, ack_without_seq", 'unknown=1 anomalies.ack_without_seq=1 by_code={"202":1} by_fail={}',
         a=[pub(0), ctrl(0.1, **given)])
case("2xx is 200 to 299", 'acked=2 rejected=1 by_code={"200":1,"299":1,"300":1}',
     a=[pub(0, "x"), pub(0, "y"), pub(0, "z"), ack(1, "x", 1, code=200), ack(1, "y", 2, code=299), ack(1, "z", 3, code=300)])
case("1xx is no answer", "unknown=1 rejected=0 by_fail={\"no_answer\":1}", a=[pub(0), ctrl(0.1, code=199, seq=1)])
case("a ctrl without a code is no answer", "unknown=1 /ingest.rejected=0 by_code={} by_fail={\"no_answer\":1}", a=[pub(0), without(ack(0.1), "code")])
case("a ctrl with an unreadable code is no answer", "unknown=1 /ingest.rejected=0 by_code={} by_fail={\"no_answer\":1}", a=[pub(0), ack(0.1, code="ok")])
case("1xx, then the answer", "acked=1 latency_ms.ack.p50=200", a=[pub(0), ctrl(0.1, code=100), ack(0.2)])
case("rejected: every written attempt got a non-2xx", 'rejected=1 by_code={"403":1,"503":1}', a=[pub(0), ctrl(0.1, code=503), pub(1), ctrl(1.1, code=403)])
case("unknown: one attempt rejected, one without answer", 'unknown=1 by_code={"503":1} by_fail={"no_answer":1}', a=[pub(0), pub(1), ctrl(1.1, code=503)])
case("rejected: an attempt that was never written does not count", "rejected=1", a=[pub(0), fail(0, "write", bytes=0), pub(1), ctrl(1.1, code=503), skip(2)])
case("unsent: skip, then a write of 0 bytes", 'unsent=1 by_skip={"not_connected":1} by_fail={"write":1}', a=[skip(0), pub(1), fail(1, "write", bytes=0)])
case("a skip, then an acked attempt", 'acked=1 unsent=0 by_skip={"not_connected":1}', a=[skip(0), pub(1), ack(1.1)])
case("attempts without ctrl and fail are no_answer, also when a retry was acked", 'acked=1 by_fail={"no_answer":1}', a=[pub(0), pub(1), ack(1.1)])
case("a ctrl after the timeout of its own attempt is a late_ack", "acked=1 anomalies.late_ack=1 by_fail={\"timeout\":1}", a=[pub(0), fail(5), ack(6)])
case("a ctrl after a socket failure is no late_ack", "acked=1 anomalies.late_ack=0", a=[pub(0), fail(5, "socket"), ack(6)])
case("the ack of a retry is not late", "acked=1 anomalies.late_ack=0", a=[pub(0, id="1"), fail(5, id="1"), pub(6, id="2"), ack(6.1, id="2")])
case("the late ack of the first attempt, after the retry went out", "acked=1 anomalies.late_ack=1 latency_ms.ack.p50=6500 latency_ms.ack.ambiguous=0",
     a=[pub(0, id="1"), fail(5, id="1"), pub(6, id="2"), ack(6.5, id="1")])
case("a refusal after the timeout: rejected", "rejected=1 unknown=0", a=[pub(0), fail(5), ctrl(6, code=503)])
case("an ack without seq, then a refusal: unknown", "unknown=1 anomalies.ack_without_seq=1", a=[pub(0), ctrl(0.1), ctrl(0.2, code=503)])
case("a refusal, then an ack of the same attempt: acked", "acked=1", a=[pub(0), ctrl(0.1, code=503), ack(0.2)])
case("ack_without_seq counts messages with any such answer", "acked=1 anomalies.ack_without_seq=1", a=[pub(0), ctrl(0.1), ack(0.2)])
case("two acks with different seq: multi_seq, the known seq is the earliest ack's", "anomalies.multi_seq=1 persistence.exact=1 classes.integrity=1",
     a=[pub(0), ack(0.2, seq=8), ack(0.1, seq=7)], db=[row(seq=7), rows()])
case("multi_seq: a row with the seq of the later ack is a mismatch", "persistence.mismatch=1", a=[pub(0), ack(0.1, seq=7), ack(0.2, seq=8)], db=[row(seq=8)])
case("multi_seq: copies that match any of the acks are no ack_data_mismatch", "anomalies.ack_data_mismatch=0",
     a=[pub(0), ack(0.1, seq=7), ack(0.2, seq=8)], b=[data(0.3, seq=8)])
case("two acks with the same seq are none", "anomalies.multi_seq=0", a=[pub(0), ack(0.1), ack(0.2)])
case("mid_collision: one message with the topic and sender of its first attempt", "planned=1 acked=1 anomalies.mid_collision=1 classes.integrity=1 delivery.expected=1",
     a=[pub(0), pub(1, topic="g"), ack(1.1)], db=[row(), rows()])
case("mid_collision: another sender", "anomalies.mid_collision=1 /agents.a.acked=1", a=[pub(0)], b=[pub(1, from_="b1"), ack(1.1)])
case("mid_collision alone does not make a refused message integrity", "classes.rejected=1 anomalies.mid_collision=1",
     a=[pub(0), ctrl(0.1, code=503), pub(1, topic="g"), ctrl(1.1, code=503)])
case("a ctrl goes to the last pub of its mid at or before it", "latency_ms.ack.p50=0 latency_ms.ack.ambiguous=1", a=[pub(0), pub(2), ack(2)])
case("else to the first", "latency_ms.ack.p50=-500 latency_ms.ack.ambiguous=0 anomalies.clock_skew=0", a=[pub(1), pub(2), ack(0.5)])
case("a fail likewise: with its id", 'unknown=1 rejected=0 by_fail={"timeout":1}',
     a=[pub(0, id="1"), pub(1, id="2"), ctrl(1.1, code=503, id="2"), fail(5, id="1")])
case("a ctrl on skips alone: unknown, and ledger lines are lost", "unknown=1 unsent=0 " + LOST, a=[skip(0), ctrl(1, code=503)])
case("an ack on skips alone: unknown too", "unknown=1 acked=0 " + LOST, a=[skip(0), ack(1)])
case("an ack on skips alone: its seq is the known one", "classes.integrity=1 anomalies.ack_data_mismatch=1", a=[skip(0), ack(1, seq=2)], b=[data(2, seq=1)], db=[row(seq=1)])
case("a fail on skips alone", "unknown=1 unsent=0 " + LOST, a=[skip(0), fail(1)])

# Section 2: observed
SEND = [pub(0), ack(0.1)]
EXACT = [row(), rows()]
case("late is counted apart, and is full", 'delivery.late=1 delivery.missing=0 matrix=[{"outcome":"acked","observed":"full","persisted":"unchecked","count":1}]',
     a=SEND, b=[data(10.000000001)])
case("a duplicate, at any time, never makes up for a missing one", "delivery.unique=1 delivery.duplicate=2 delivery.missing=2 "
     'matrix=[{"outcome":"acked","observed":"partial","persisted":"unchecked","count":1}]', a=[pub(0, topic="g"), ack(0.1)],
     b=[data(1, topic="g"), data(2, topic="g"), data(50, topic="g")])
case("the first copy decides, whatever the line order", "delivery.unique=1 delivery.late=0 delivery.duplicate=1", a=SEND, b=[data(50), data(1)])
case("echoes and strangers are counted apart, of any message", "delivery.echo=1 delivery.unexpected_receiver=1 delivery.strangers=1 delivery.missing=0",
     a=[pub(0), data(1, "a1")], b=[data(1, "c1")])
case("the sender's own copy is an echo, also where the sender is no member", "delivery.echo=2 delivery.unexpected_receiver=0 delivery.strangers=0",
     a=[pub(0, from_="c1"), ack(0.1)], b=[data(1, "c1"), data(2, "c1")])
case("two echoes are two", "delivery.echo=2 delivery.duplicate=0", a=[*SEND, data(1, "a1"), data(2, "a1")])
case("a group sender's own copy is no echo", "delivery.echo=0 delivery.unique=1", a=[pub(0, topic="g"), ack(0.1), data(1, "a1", topic="g")])
case("members that were not READY are unexpected, no strangers", "delivery.unexpected_receiver=1 delivery.strangers=0 delivery.expected=2",
     a=[pub(0, topic="g"), ack(0.1)], b=[conn(-4, "c1", "closed"), data(1, "c1", topic="g")])
case("a ready account that nobody knows is a stranger", "delivery.strangers=1", a=SEND, b=[data(1, "nobody")])
UNSEEN = "delivery.unwitnessed=1 delivery.missing=0 rates.loss_rate=null classes.unverified=1"


def watched(name, expectation, *lines, keys=()):
    case(name, expectation, a=SEND, files={"agents/b/b.jsonl": text([conn(-5, "b1"), *lines])}, db=EXACT, **dict(keys))


watched("watched from the pub to the window's end, both included", "delivery.unwitnessed=0 delivery.missing=1", start(-9, "b"), end(10, "b"))
watched("watched until just before the window's end", UNSEEN, start(-9, "b"), end(9.999999999, "b"))
watched("watched from the first line without a start", "delivery.unwitnessed=0 delivery.missing=1", end(10, "b"))
watched("without an end, to the last line", "delivery.missing=1 delivery.unwitnessed=0", start(-9, "b"), clock(10, "b", 0))
watched("without an end, to the last line: too early", UNSEEN, start(-9, "b"), clock(9, "b", 0))
watched("a gap between an end and the next start", UNSEEN, start(-9, "b"), end(3, "b"), start(4, "b"), end(50, "b"))
watched("a gap between the last line and the next start", UNSEEN, start(-9, "b"), clock(3, "b", 0), start(4, "b"), end(50, "b"))
watched("seen all the same", "delivery.unique=1 delivery.unwitnessed=0 classes.ok=1", start(-9, "b"), data(1), end(3, "b"))
watched("a receiver's agent by accounts.jsonl, though another has its lines", "delivery.unwitnessed=1",
        start(-9, "b"), end(50, "b"), keys={"accounts": [ACCOUNTS[0], {"account": "b1", "agent": "z"}]})
watched("without accounts.jsonl the directory that has its conn and data lines", "delivery.missing=1 delivery.unwitnessed=0",
        start(-9, "b"), end(50, "b"), keys={"accounts": ()})
case("else nobody watches it", "delivery.unwitnessed=1 delivery.missing=0 delivery.receiver_disconnected=0", a=SEND, accounts=ACCOUNTS[:1],
     topics=[{"topic": "p", "kind": "p2p", "members": ["a1", "ghost"]}])
case("na: all that are not seen are unwitnessed and none was seen", 'matrix=[{"outcome":"acked","observed":"na","persisted":"exact","count":1}]',
     a=SEND, db=EXACT, files={"agents/b/b.jsonl": text([start(-9, "b"), conn(-5, "b1"), end(3, "b")])})
case("none: missing, and nobody saw it", 'matrix=[{"outcome":"acked","observed":"none","persisted":"exact","count":1}] classes.lost_realtime_persisted=1', a=SEND, db=EXACT)


def closing(name, count, *lines):
    case(name, f"delivery.missing=1 delivery.receiver_disconnected={count}", a=SEND, b=lines)


closing("connected throughout", 0, conn(-4, "b1", "closed"), conn(-3, "b1"))
closing("connected from ready, at the very first pub", 0, conn(-4, "b1", "closed"), conn(0, "b1"))
closing("ready just after the first pub", 1, conn(-4, "b1", "closed"), conn(0.000000001, "b1"))
closing("closed at the very first pub", 1, conn(0, "b1", "closed"), conn(0.000000001, "b1"))
closing("closed for a moment", 1, conn(5, "b1", "closed"), conn(5.000000001, "b1"))
closing("refused is not connected", 1, conn(5, "b1", "refused"))
closing("open is no change", 0, conn(5, "b1", "open"))
closing("closed at the window's end", 1, conn(10, "b1", "closed"))
closing("closed after the window's end", 0, conn(10.000000001, "b1", "closed"))
case("a receiver without any conn line was never connected", "delivery.missing=1 delivery.receiver_disconnected=1", a=SEND,
     files={"agents/b/b.jsonl": text(life("b", [], [conn(-5, "c1")]))})
case("a p2p expectation does not ask for READY", "delivery.expected=1 delivery.not_ready=0", a=SEND, b=[conn(-4, "b1", "closed")])


def ready(name, count, *lines):
    case(name, f"delivery.expected={count}", a=[pub(0, topic="g"), ack(0.1)], b=lines)


ready("READY at the very first pub", 3, conn(-4, "c1", "closed"), conn(0, "c1"))
ready("READY after the first pub", 2, conn(-4, "c1", "closed"), conn(0.000000001, "c1"))
ready("READY: closed at the time of the pub is not before it", 3, conn(0, "c1", "closed"))
ready("READY: closed just before the pub", 2, conn(-0.000000001, "c1", "closed"))
ready("READY: refused after ready", 2, conn(-1, "c1", "refused"))
ready("READY: open again is not ready", 2, conn(-2, "c1", "closed"), conn(-1, "c1", "open"))
case("READY is judged at the scenario's first pub, not the message's", "delivery.expected=4", a=[pub(0, topic="g"), ack(0.1), pub(3, "n", "g"), ack(3.1, "n", 2)],
     b=[conn(-4, "c1", "closed"), conn(1, "c1")])
case("READY and windows use the pubs of messages of any outcome", "delivery.expected=2 delivery.unique=1 delivery.late=0",
     a=[pub(0, "x", "g"), pub(3, topic="g"), ack(3.1), pub(5, "y", "g")], b=[conn(-4, "c1", "closed"), conn(1, "c1"), data(15, topic="g")])
case("windows use retries", "delivery.unique=1 delivery.late=0", a=[*SEND, pub(5)], b=[data(15)])
case("a run without any conn line: all members are expected, readiness is not evaluated",
     "delivery.expected=3 delivery.missing=3 delivery.receiver_disconnected=null delivery.not_ready=null accounts.ready=null "
     "accounts.disconnects_in_load=null /gates.ready.result=not_evaluated /gates.disconnects.result=not_evaluated",
     a=[pub(0, topic="g"), ack(0.1)], conns=False)
case("the totals are over acked messages; copies of others are unacked deliveries",
     "delivery.expected=1 delivery.unique=0 delivery.late=0 delivery.duplicate=0 delivery.unacked_deliveries=2 delivery.unacked_messages_observed=1",
     a=[*SEND, pub(1, "n"), ctrl(1.1, "n", 503)], b=[data(2, mid="n", seq=5), data(60, mid="n", seq=5)])
case("echoes and strangers of unacked messages are no unacked deliveries", "delivery.unacked_deliveries=0 delivery.unacked_messages_observed=0 unknown=1",
     a=[pub(0), data(1, "a1")], b=[data(1, "c1")])

N = [pub(0, "n"), ack(0.1, "n", 2), *SEND]
case("out of order: a seq lower than the highest seen", "delivery.seq_regressions=1 delivery.receivers_out_of_order=1 rates.out_of_order_rate=1",
     a=N, b=[data(1, mid="n", seq=2), data(2)])
case("out of order: by time, not by line", "delivery.seq_regressions=0 rates.out_of_order_rate=0", a=N, b=[data(2, mid="n", seq=2), data(1)])
case("out of order: equal times go by line", "delivery.seq_regressions=1", a=N, b=[data(1, mid="n", seq=2), data(1)])
case("out of order: late and unacked ones included", "delivery.seq_regressions=2", a=[pub(0, "n"), *SEND, pub(0, "o")],
     b=[data(1, mid="n", seq=9), data(1.5, mid="o", seq=8), data(20)])
case("out of order: further copies and echoes are not", "delivery.seq_regressions=0", a=[*N, data(1, "a1", mid="n", seq=2), data(2, "a1")],
     b=[data(1), data(2, mid="n", seq=2), data(3)])
case("out of order: each topic for itself", "delivery.seq_regressions=0 rates.out_of_order_rate=null", a=[pub(0, "n", "g"), ack(0.1, "n", 9), *SEND],
     b=[data(1, mid="n", topic="g", seq=9), data(2)])
case("seq_conflict: one seq of a topic with two mids, from acks and deliveries together", "anomalies.seq_conflict=1",
     a=[*SEND, pub(0, "n"), ack(0.1, "n", 2), pub(0, "o")], b=[data(1, mid="o", seq=1), data(1, mid="n", seq=1), data(2, mid="n", seq=3)])
case("seq_conflict: other topics are others", "anomalies.seq_conflict=0", a=[*SEND, pub(0, "n", "g"), ack(0.1, "n", 1)])
case("ack_data_mismatch counts messages", "anomalies.ack_data_mismatch=1", a=SEND, b=[data(1, seq=2), data(2, seq=3)])
case("wrong_topic: per copy, and an unexpected one", "anomalies.wrong_topic=2 delivery.unexpected_receiver=2 delivery.unique=0 delivery.missing=1 delivery.strangers=0",
     a=SEND, b=[data(1, topic="g"), data(2, topic="g")])
case("clock_skew: first copies seen before the first pub, of any outcome", "anomalies.clock_skew=2", a=[*SEND, pub(0, "n"), pub(0, "o"), ack(0.1, "o", 3)],
     b=[data(-0.1), data(-0.2, mid="n", seq=2), data(0, mid="o", seq=3), data(-0.3, "c1")])
READ = {"reconcile_start": 12}
case("data after reconcile_start that would be late answers the read-back", "delivery.late=0 delivery.missing=1 persistence.history_found=1",
     a=SEND, b=[data(12)], timeline=READ)
case("data before reconcile_start is late", "delivery.late=1 delivery.missing=0 persistence.history_found=null", a=SEND, b=[data(11.999999999)], timeline=READ)
case("data after reconcile_start of a scenario that published nothing", "classes.contradiction=1 persistence.unacked_persisted=1 delivery.unacked_deliveries=0",
     a=[skip(0)], b=[data(13)], timeline=READ)
case("data after reconcile_start in the window is a delivery", "delivery.unique=1", a=SEND, b=[data(6)], timeline={"reconcile_start": 5})

# Section 3: persisted
UNKNOWN = [pub(0)]
case("the known seq: else the one its deliveries agree on", "classes.unknown_observed_persisted=1", a=UNKNOWN, b=[data(1, seq=7)], db=[row(seq=7)])
case("the known seq: deliveries agree on another", "classes.integrity=1", a=UNKNOWN, b=[data(1, seq=7)], db=[row(seq=8)])
case("the known seq: deliveries that do not agree, any", "classes.unknown_observed_persisted=1", a=UNKNOWN, b=[data(1, seq=7), data(2, seq=8)], db=[row(seq=9)])
case("the known seq: nothing known, any", "classes.unknown_persisted=1 persistence.unacked_persisted=1 persistence.exact=0", a=UNKNOWN, db=[row(seq=9)])
case("conflict: no row under complete evidence, yet history returned it", "persistence.conflict=1 classes.unverified=1 persistence.witness_conflicts=1 persistence.history_found=1",
     a=SEND, db=[rows(count=0)], history=[hist()])
case("a dead letter found in history too is a witness_conflict", "persistence.dead_letter=1 persistence.witness_conflicts=1", a=SEND, db=[rows(count=0), dead()], history=[hist()])
case("history decides where the database looked incompletely: found", "persistence.exact=1 persistence.unchecked=0", a=SEND, db=[rows(count=0, complete=False)], history=[hist()])
case("history decides where the database looked incompletely: not found", "persistence.absent=1", a=SEND, db=[rows(count=0, complete=False)], history=[histq()])
case("history contradicts: another seq", "persistence.exact=1 persistence.witness_conflicts=1 classes.ok=1", a=SEND, b=[data(1)], db=EXACT, history=[hist(seq=2)])
case("history contradicts: a row inside a completely read range but not found", "persistence.exact=1 persistence.witness_conflicts=1", a=SEND, db=EXACT, history=[histq()])
case("a row outside the read range contradicts nothing", "persistence.witness_conflicts=0 persistence.history_found=0", a=SEND, db=EXACT, history=[histq(lo=2)])
case("both agree", "persistence.witness_conflicts=0 persistence.history_found=1", a=SEND, db=EXACT, history=[hist(), histq()])
case("without history: not evaluated", "persistence.witness_conflicts=null persistence.history_found=null", a=SEND, db=EXACT)
case("no known seq: a completely read range says nothing", "classes.unknown_unverified=1", a=UNKNOWN, history=[histq()])

# Section 4: class
REFUSED = [pub(0), ctrl(0.1, code=503)]
case("contradiction: rejected and observed", "classes.contradiction=1", a=REFUSED, b=[data(1)])
case("contradiction: rejected and echoed", "classes.contradiction=1", a=[*REFUSED, data(1, "a1")])
case("contradiction: rejected, at a stranger", "classes.contradiction=1", a=REFUSED, b=[data(1, "c1")])
case("contradiction: rejected and stored", "classes.contradiction=1", a=REFUSED, db=[row()])
case("contradiction: rejected and stored elsewhere", "classes.contradiction=1 classes.integrity=0", a=REFUSED, db=[row(topic="zz")])
case("contradiction: rejected and in history", "classes.contradiction=1 persistence.unacked_persisted=1", a=REFUSED, db=[rows(count=0)], history=[hist()])
case("contradiction: unsent and dead-lettered", "classes.contradiction=1 classes.unsent=0", a=[skip(0)], db=[dead()])
case("contradiction: unsent and seen", "classes.contradiction=1 unsent=1", a=[skip(0)], b=[data(1)])
case("rejected, nothing to the contrary", "classes.rejected=1", a=REFUSED, db=[rows(count=0)])
case("unsent, nobody looked", "classes.unsent=1", a=[skip(0)])
case("integrity: unknown and stored twice", "classes.integrity=1", a=UNKNOWN, db=[row(id="1"), row(id="2")])
case("durable_lost comes before the missing delivery", "classes.durable_lost=1 delivery.missing=1", a=SEND, db=[rows(count=0)])
case("durable_lost though delivered", "classes.durable_lost=1 delivery.unique=1", a=SEND, b=[data(1)], db=[rows(count=0)])
case("unverified: unchecked, though delivered", "classes.unverified=1", a=SEND, b=[data(1)])
G = [pub(0, topic="g"), ack(0.1), data(1, "a1", topic="g")]
GROW = [row(topic="g"), rows()]
case("unverified: exact, none missing, none late, some unwitnessed", "classes.unverified=1 delivery.unique=1 delivery.unwitnessed=2", a=G, db=GROW,
     files={"agents/b/b.jsonl": text([conn(-5, "b1"), conn(-5, "c1"), end(3, "b")])})
case("lost_realtime_persisted: one missing, one unwitnessed", "classes.lost_realtime_persisted=1 delivery.missing=1 delivery.unwitnessed=1", a=G, db=GROW,
     accounts=[ACCOUNTS[0], ACCOUNTS[1], {"account": "c1", "agent": "c"}], files={"agents/c/c.jsonl": text([start(-9, "c"), end(3, "c")])})
case("late_persisted: one late, one unwitnessed", "classes.late_persisted=1 delivery.late=1 delivery.unwitnessed=1", a=G, b=[data(50, topic="g")], db=GROW,
     accounts=[ACCOUNTS[0], ACCOUNTS[1], {"account": "c1", "agent": "c"}], files={"agents/c/c.jsonl": text([start(-9, "c"), end(3, "c")])})
case("lost_realtime_persisted: one missing, one late", "classes.lost_realtime_persisted=1", a=G, b=[data(50, topic="g")], db=GROW)
case("ok", "classes.ok=1 /failing_messages=0", a=G, b=[data(1, topic="g"), data(1, "c1", topic="g")], db=GROW)
for name, observed in (("observed", [data(1, "c1")]), ("", [])):
    for state, db, klass in (("exact", [row()], "persisted"), ("absent", [rows(count=0)], "absent"), ("unchecked", [], "unverified"),
                             ("dead_letter", [dead()], "unverified"), ("conflict", [rows(count=0)], "unverified")):
        if observed:
            klass = "observed_persisted" if state == "exact" else "observed"
        case(f"unknown {name} {state}: unknown_{klass}", f"classes.unknown_{klass}=1", a=UNKNOWN, b=observed, db=db, history=[hist()] if state == "conflict" else ())
case("failing messages: not ok, and late_ack ones", "/failing_messages=2 classes.ok=1 classes.rejected=1", a=[pub(0), fail(5), ack(6), pub(0, "n"), ctrl(0.1, "n", 503)],
     b=[data(7)], db=EXACT)
case("never_tried is never counted as lost", "never_tried=4 /failing_messages=0 classes.ok=1", a=SEND, b=[data(1)], db=EXACT,
     plan={"scenarios": [dict(SCENARIOS[0], planned_messages=5)]})

# Section 5: rates
case("accept and reject rates", "attempted=4 rates.accept_rate=0.25 rates.reject_rate=0.75 planned=6 never_tried=1",
     a=[*SEND, pub(0, "n"), ctrl(0.1, "n", 503), pub(0, "o"), pub(0, "q"), skip(0, "r")], plan={"scenarios": [dict(SCENARIOS[0], planned_messages=6)]})
case("a rate with denominator 0 is null", "attempted=0 rates.accept_rate=null rates.reject_rate=null rates.arrival_rate=null rates.late_rate=null "
     "rates.duplicate_rate=null rates.persistence_loss=null rates.out_of_order_rate=null", a=[pub(0), fail(0, "write", bytes=0)])
case("arrival, loss, late and duplicate rates", "rates.arrival_rate=0.25 rates.loss_rate=0.5 rates.late_rate=0.25 rates.duplicate_rate=0.5",
     a=[pub(0, mid=m) for m in "wxyz"] + [ack(0.1, m, n) for n, m in enumerate("wxyz", 1)],
     b=[data(1, mid="w"), data(2, mid="w"), data(3, mid="w"), data(30, mid="x", seq=2)])
case("persistence loss with unchecked beside it", "rates.persistence_loss=0.5 persistence.unchecked=0", a=[*SEND, pub(0, "n"), ack(0.1, "n", 2)], db=[rows(), row()])
case("persistence_loss is null when nothing but unchecked", "rates.persistence_loss=null persistence.unchecked=1", a=SEND)
case("duplicates of something expected that is all unwitnessed", "rates.arrival_rate=null rates.loss_rate=null rates.late_rate=null", a=SEND,
     files={"agents/b/b.jsonl": text([conn(-5, "b1"), end(3, "b")])})
case("planned and never_tried of an agent are not evaluated", "/agents.a.planned=null /agents.a.never_tried=null /agents.a.acked=1 /agents.b.acked=0", a=SEND)

# Section 6: latency
TEN = [line for n in range(1, 21) for line in (pub(n, f"m{n}", plan=pub(n - 0.01)["t"]), ack(n + n / 1000, f"m{n}", n))]
case("nearest rank", "latency_ms.ack.n=20 latency_ms.ack.p50=10 latency_ms.ack.p95=19 latency_ms.ack.p99=20 latency_ms.ack.p999=20 latency_ms.ack.max=20 "
     "latency_ms.ack.mean=10.5 latency_ms.queue.p50=10 latency_ms.queue.max=10 latency_ms.ack_from_plan.p50=20 latency_ms.ack_from_plan.mean=20.5", a=TEN)
case("one value is every quantile", "latency_ms.ack.n=1 latency_ms.ack.p50=0.000001 latency_ms.ack.p999=0.000001 latency_ms.ack.mean=0.000001", a=[pub(0), ack(0.000000001)])
case("no value is none", "latency_ms.ack.n=0 latency_ms.ack.p50=null latency_ms.ack.mean=null", a=[pub(0)])
case("queue: the first pub of every message that has plan, of any outcome; the plan is the first",
     "latency_ms.queue.n=2 latency_ms.queue.p50=-1000 latency_ms.queue.max=3000 latency_ms.ack_from_plan.n=1 latency_ms.ack_from_plan.p50=8000",
     a=[pub(3, plan=pub(0)["t"]), pub(7, plan=pub(6)["t"]), ack(8), pub(1, "n", plan=pub(2)["t"]), pub(1, "o")])
case("a late ack is in the latency", "latency_ms.ack.p50=6000", a=[pub(0), fail(5), ack(6)])
case("delivery: from the first pub to the first copy, late included", "latency_ms.delivery.n=2 latency_ms.delivery.p50=2000 latency_ms.delivery.max=40000",
     a=[pub(0), pub(1), ack(1.1), pub(1, "n"), ack(1.1, "n", 2)], b=[data(2), data(3), data(41, mid="n", seq=2)])
case("negative latencies are given and are clock_skew", "latency_ms.delivery.p50=-250 anomalies.clock_skew=1 latency_ms.delivery.valid=false", a=SEND, b=[data(-0.25)])
case("within one agent no clock is needed", "latency_ms.delivery.valid=true", a=[*SEND, data(1)], accounts=[ACCOUNTS[0], {"account": "b1", "agent": "a"}])
case("two agents without clock lines", "latency_ms.delivery.valid=false latency_ms.ack.valid=true", a=SEND, b=[data(1)])
case("both clocks within 5 ms, the limit included", "latency_ms.delivery.valid=true", a=[*SEND, clock(-1, "a", 5)], b=[data(1), clock(-1, "b", -5)])
case("one clock off by more", "latency_ms.delivery.valid=false", a=[*SEND, clock(-1, "a", 5.000001)], b=[data(1), clock(-1, "b", 0)])
case("one clock not measured", "latency_ms.delivery.valid=false", a=[*SEND, clock(-1, "a", 0)], b=[data(1)])

# Section 10: rulings
case("disconnects_in_load: changes from connected to not, from load_start to the last window's end, both included",
     "accounts.disconnects_in_load=3", a=[*SEND, conn(0, "a1", "closed"), conn(1, "a1"), conn(10, "a1", "closed"), conn(11, "a1"), conn(12, "a1", "closed")],
     b=[conn(-2, "b1", "closed"), conn(3, "b1", "closed"), conn(4, "c1", "refused"), conn(5, "c1", "closed")])
case("accounts.ready of a scenario: at its first pub", "/scenarios.s1.accounts.ready=3 /scenarios.s2.accounts.ready=2 accounts.ready=3",
     a=[*SEND, pub(2, "n", "g")], b=[conn(1, "c1", "closed")])
case("rejected records in a receiver's ledger inside the window make missing an upper bound", "delivery.missing=1 delivery.missing_upper_bound=true",
     a=SEND, b=[clock(3, "b", 0), "{torn", clock(4, "b", 0)])
case("rejected records after the window do not", "delivery.missing=1 delivery.missing_upper_bound=false", a=SEND, b=[clock(30, "b", 0), "{torn", clock(40, "b", 0)])
case("rejected records in a sender's ledger do not", "delivery.missing_upper_bound=false", a=[*SEND, clock(3, "a", 0), "{torn", clock(4, "a", 0)])
case("matrix has no zero rows and is sorted", 'matrix=[{"outcome":"acked","observed":"full","persisted":"unchecked","count":1},'
     '{"outcome":"acked","observed":"none","persisted":"unchecked","count":2},{"outcome":"unknown","observed":"none","persisted":"unchecked","count":1}]',
     a=[pub(0, "o"), pub(0, "n"), ack(0.1, "n", 2), pub(0, "r"), ack(0.1, "r", 3), *SEND], b=[data(1)])
case("messages of no scenario are in the total alone, with READY and window of their own kind", "delivery.expected=3 planned=1 /scenarios.s2.planned=0 /scenarios.s2.acked=0",
     a=[pub(0, topic="g", sc="zz"), ack(0.1)])
case("a scenario without pubs", "/scenarios.s2.delivery.expected=0 /scenarios.s2.rates.accept_rate=null /scenarios.s2.accounts.ready=null /scenarios.s2.planned=0", a=SEND)
case("a scenario of skips alone", "unsent=1 /scenarios.s1.unsent=1 never_tried=0 classes.unsent=1", a=[skip(0)], db=[rows(count=0)])
case("the topic's kind decides who is expected, the scenario when", "delivery.expected=3 delivery.unique=1 delivery.late=1",
     a=[pub(0, topic="g", sc="s1"), ack(0.1)], b=[data(10, topic="g"), data(10.5, "c1", topic="g")])
case("a retry by another agent is an attempt of the same message", "planned=1 acked=1 anomalies.mid_collision=0 latency_ms.ack.p50=200 by_fail={\"timeout\":1}",
     a=[pub(0, id="1"), fail(5, id="1")], b=[pub(6, id="1"), ack(6.2, id="1")])
case("p2p: all members but the sender", "delivery.expected=2", a=SEND, topics=[{"topic": "p", "kind": "p2p", "members": ["a1", "b1", "c1"]}])

# Numbers at the ends of what 64 bits hold
BIG = 2**63
case("a time beyond 64 bits is rejected", "planned=1 /ingest.rejected=1", a=[*SEND, dict(pub(1, "x"), t=BIG)])
case("a seq beyond 64 bits is not usable", "unknown=1 anomalies.ack_without_seq=1", a=[pub(0), ack(0.1, seq=BIG)])
case("a required seq beyond 64 bits is rejected", "delivery.missing=1 /ingest.rejected=1", a=SEND, b=[data(1, seq=2 * BIG - 1)])
case("the highest seq", "acked=1 persistence.exact=1 delivery.unique=1", a=[pub(0), ack(0.1, seq=BIG - 1)], b=[data(1, seq=BIG - 1)], db=[row(seq=BIG - 1), rows()])
for offset in (-BIG, BIG):
    case(f"a clock offset of {offset} is not within 5 ms", "latency_ms.delivery.valid=false", a=[*SEND, dict(clock(-1, "a", 0), offset_ns=offset)], b=[data(1), clock(-1, "b", 0)])
case("a code beyond 32 bits", 'rejected=1 by_code={"1000000000000":1}', a=[pub(0), ctrl(0.1, code=10**12)])
for code in (-202, 0, 99):
    case(f"code {code} is no answer", "unknown=1 by_fail={\"no_answer\":1}", a=[pub(0), ctrl(0.1, code=code)])
case("drain_s 0: the window ends at the last pub", "delivery.unique=1 delivery.late=1", a=[pub(0), ack(0.1), pub(-1, "n"), ack(0.2, "n", 2)],
     b=[data(0), data(0.000000001, mid="n", seq=2)], plan={"scenarios": [{"id": "s1", "kind": "p2p", "drain_s": 0}]})
case("more sent than planned", "planned=1 never_tried=-1", a=[*SEND, pub(0, "n")], plan={"scenarios": [{"id": "s1", "kind": "p2p", "planned_messages": 1}]})
case("an sc of the wrong type is not given", "/scenarios.s1.acked=1", a=[pub(0, sc=3), ack(0.1)])

# Names are text, any text.
ODD = ["", " ", "\u6d88\u606f", "a|b`c\"d'e\\", "line\nfeed\r\ttab", "\x1b[31mred", "<script>x</script>", "\u202egnp.exe", "x" * 5000]
case("odd names of mids, topics and accounts", f"planned={len(ODD)} acked={len(ODD)} persistence.exact={len(ODD)} delivery.unique={len(ODD)} classes.ok={len(ODD)} /ingest.rejected=0",
     topics=[{"topic": n, "kind": "p2p", "members": [n, "b1"]} for n in ODD], accounts=[*ACCOUNTS, *({"account": n, "agent": "a"} for n in ODD)],
     a=[line for n in ODD for line in (conn(-5, n), pub(0, n, n, n), ack(0.1, n, 1))], b=[data(1, "b1", n, n) for n in ODD],
     db=[*(row(n, topic=n) for n in ODD), rows(count=len(ODD))])
