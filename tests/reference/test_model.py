#!/usr/bin/env python3
"""The reference model on small runs whose answer is worked out by hand."""
import json
import os
import tempfile
import unittest

from reader import load
from truth import report

S = 1_000_000_000
DRAIN = 10


def line(ev, t=None, **keys):
    keys = {k.rstrip("_"): v for k, v in keys.items()}
    return {"ev": ev, **({} if t is None else {"t": int(t * S)}), **keys}


def pub(t, mid="m", **keys):
    return line("pub", t, mid=mid, **{"topic": "g", "from": "u1", **keys})


def ack(t, mid="m", seq=1, **keys):
    return line("ctrl", t, mid=mid, code=202, seq=seq, **keys)


def data(t, to, mid="m", seq=1, topic="g"):
    return line("data", t, mid=mid, topic=topic, seq=seq, to=to)


def life(*lines, lo=0, hi=99):
    return [line("start", lo, agent="a"), *lines, line("end", hi, agent="a")]


ROWS = line("rows", 50, table="messages", complete=True, count=1, kind="group")
ROW = line("row", table="messages", mid="m", topic="g", seq=1, id="1")


def audit(a=(), b=(), db=(), history=(), topics=None, **plan):
    """Figures of a run: u1, u3 live at agent a, u2 at b; p: u1, u2; g: all."""
    if topics is None:
        topics = [{"topic": "p", "kind": "p2p", "members": ["u1", "u2"]},
                  {"topic": "g", "kind": "group", "members": ["u1", "u2", "u3"]}]
    plan = {"scenarios": [{"id": "s", "kind": "group", "drain_s": DRAIN}], **plan}
    homes = {"u1": "a", "u2": "b", "u3": "a"}
    files = {"agents/a/l.jsonl": a, "agents/b/l.jsonl": b, "db/d.jsonl": db,
             "history/h.jsonl": history, "topics.jsonl": topics, "run.json": [plan],
             "accounts.jsonl": [{"account": u, "agent": h} for u, h in homes.items()]}
    with tempfile.TemporaryDirectory() as root:
        for path, lines in files.items():
            if lines:
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as f:
                    f.writelines(json.dumps(o) + "\n" for o in lines)
        return report(load(root))


class Outcome(unittest.TestCase):
    def outcome(self, *lines):
        answer = audit(a=life(*lines))
        return answer["lists"]["messages"]["m"][0], answer["total"]

    def test_late_ack_and_retry(self):
        outcome, total = self.outcome(
            pub(1), line("fail", 6, mid="m", why="timeout"), ack(6.5))
        self.assertEqual((outcome, total["anomalies"]["late_ack"]), ("acked", 1))
        outcome, total = self.outcome(      # the ack belongs to the second attempt
            pub(1), line("fail", 6, mid="m", why="timeout"), pub(7), ack(7.25))
        self.assertEqual((outcome, total["anomalies"]["late_ack"]), ("acked", 0))
        self.assertEqual(total["latency_ms"]["ack"]["p50"], 250)
        self.assertEqual(total["latency_ms"]["ack"]["ambiguous"], 1)

    def test_id_decides(self):
        _, total = self.outcome(pub(1, id="x"), pub(7, id="y"), ack(7.25, id="x"))
        self.assertEqual(total["latency_ms"]["ack"]["p50"], 6250)
        self.assertEqual(total["latency_ms"]["ack"]["ambiguous"], 0)
        self.assertEqual(total["by_fail"], {"no_answer": 1})

    def test_unknown_and_rejected(self):
        refused = line("ctrl", 2, mid="m", code=503)
        self.assertEqual(self.outcome(pub(1), refused)[0], "rejected")
        self.assertEqual(self.outcome(pub(1), refused, pub(3))[0], "unknown")
        self.assertEqual(self.outcome(pub(1), line("ctrl", 2, mid="m", code=102))[0], "unknown")
        self.assertEqual(self.outcome(pub(1), line("ctrl", 2, mid="m", code=200))[0], "unknown")
        skip = line("skip", 1, mid="m", topic="g", from_="u1", why="overrun")
        self.assertEqual(self.outcome(skip)[0], "unsent")
        self.assertEqual(self.outcome(skip, ack(2))[0], "unknown")

    def test_failed_write(self):
        def write(**keys):
            return line("fail", 2, mid="m", why="write", **keys)
        self.assertEqual(self.outcome(pub(1), write(bytes=0))[0], "unsent")
        self.assertEqual(self.outcome(pub(1), write(bytes=9))[0], "unknown")
        self.assertEqual(self.outcome(pub(1), write())[0], "unknown")
        self.assertEqual(self.outcome(pub(1), write(bytes=0), pub(3), line(
            "ctrl", 4, mid="m", code=403))[0], "rejected")


class Delivery(unittest.TestCase):
    def delivery(self, a, b, **more):
        answer = audit(a=a, b=b, **more)
        return answer["total"]["delivery"], answer["lists"]["messages"].get("m")

    def test_window_and_duplicates(self):
        found, message = self.delivery(
            life(pub(1), ack(2), data(2, "u1"), data(11, "u3"), data(60, "u3")),
            life(data(11.1, "u2")))
        self.assertEqual((found["expected"], found["unique"], found["late"], found["missing"],
                          found["duplicate"]), (3, 2, 1, 0, 1))
        self.assertEqual(message[1], "full")

    def test_unwitnessed(self):
        # b restarts inside the window: nobody watched between 5 and 6
        down = [line("start", 0, agent="b"), line("clock", 5, agent="b", offset_ns=0),
                line("start", 6, agent="b"), line("end", 99, agent="b")]
        found, message = self.delivery(life(pub(1), ack(2), data(2, "u1")), down)
        self.assertEqual((found["missing"], found["unwitnessed"]), (1, 1))
        self.assertEqual(message[1], "partial")
        answer = audit(a=life(pub(1), ack(2)), b=down)
        self.assertEqual(answer["ingest"]["cut_off_agents"], ["b"])
        # p: the only expected receiver is at b
        found, message = self.delivery(life(pub(1, topic="p"), ack(2)), down)
        self.assertEqual((found["unwitnessed"], message[1]), (1, "na"))

    def test_ready(self):
        def conn(t, who, state):
            return line("conn", t, who=who, state=state)
        a = life(conn(0.1, "u1", "ready"), conn(0.1, "u3", "ready"), conn(0.5, "u3", "closed"),
                 pub(1), ack(2), data(2, "u1"), conn(3, "u3", "ready"), data(4, "u3"))
        b = life(conn(0.2, "u2", "ready"), conn(5, "u2", "closed"), conn(6, "u2", "ready"))
        found, message = self.delivery(a, b)
        self.assertEqual((found["expected"], found["unique"], found["missing"]), (2, 1, 1))
        self.assertEqual((found["not_ready"], found["unexpected_receiver"],
                          found["strangers"], found["receiver_disconnected"]), (1, 1, 0, 1))
        accounts = audit(a=a, b=b)["total"]["accounts"]
        self.assertEqual(accounts, {"planned": 3, "ready": 2, "disconnects_in_load": 1})

    def test_echo_wrong_topic_strangers(self):
        found, _ = self.delivery(
            life(pub(1, topic="p"), ack(2), data(2, "u1", topic="p"), data(2, "u3", topic="p")),
            life(data(3, "u2", topic="p"), data(3.5, "u2", topic="g")))
        self.assertEqual((found["echo"], found["unexpected_receiver"], found["strangers"],
                          found["unique"]), (1, 2, 1, 1))

    def test_order(self):
        lines = [line for i, seq in enumerate((1, 3, 2)) for line in (
            pub(1 + i, f"m{i}"), ack(1.5 + i, f"m{i}", seq), data(2 + i, "u1", f"m{i}", seq))]
        found, _ = self.delivery(life(*lines), life())
        self.assertEqual((found["seq_regressions"], found["receivers_out_of_order"]), (1, 1))

    def test_read_back(self):
        mark = line("mark", 20, name="reconcile_start")
        answer = audit(a=life(pub(1), ack(2), mark, data(21, "u1"), data(10.5, "u3")), b=life())
        self.assertEqual(answer["total"]["delivery"]["late"], 0)
        self.assertEqual(answer["total"]["persistence"]["history_found"], 1)
        self.assertEqual(answer["total"]["persistence"]["exact"], 1)


class Persisted(unittest.TestCase):
    def persisted(self, db=(), history=(), lines=None):
        lines = life(pub(1), ack(2)) if lines is None else lines
        answer = audit(a=lines, db=db, history=history)
        return (answer["lists"]["messages"]["m"][2],
                answer["total"]["persistence"]["witness_conflicts"])

    def test_rows(self):
        self.assertEqual(self.persisted([ROW, ROWS])[0], "exact")
        self.assertEqual(self.persisted([ROW, ROW])[0], "exact")
        self.assertEqual(self.persisted([ROW, {**ROW, "id": "2"}])[0], "duplicate")
        self.assertEqual(self.persisted([{**ROW, "seq": 2}])[0], "mismatch")
        self.assertEqual(self.persisted([{**ROW, "topic": "G"}])[0], "mismatch")

    def test_absence(self):
        self.assertEqual(self.persisted([ROWS])[0], "absent")
        self.assertEqual(self.persisted([{**ROWS, "complete": False}])[0], "unchecked")
        self.assertEqual(self.persisted([{**ROWS, "kind": "p2p"}])[0], "unchecked")
        self.assertEqual(self.persisted([{**ROWS, "t": S // 2}])[0], "unchecked")
        other = {**ROW, "mid": "other"}
        whole = {k: v for k, v in ROWS.items() if k != "kind"}
        self.assertEqual(self.persisted([other, whole])[0], "absent")
        self.assertEqual(self.persisted([whole])[0], "unchecked")       # count differs
        self.assertEqual(self.persisted([ROWS, {"ev": "row"}])[0], "unchecked")
        second = {**ROWS, "complete": False, "check": 2}
        self.assertEqual(self.persisted([ROWS, second])[0], "absent")
        archive = {**ROWS, "table": "archive", "complete": False}
        self.assertEqual(self.persisted([ROWS, archive])[0], "unchecked")

    def test_dead_letters(self):
        letter = line("dead", 3, mid="m", error="1264")
        self.assertEqual(self.persisted([ROWS, letter])[0], "dead_letter")
        replayed = {**letter, "t": 4 * S, "state": "replayed"}
        self.assertEqual(self.persisted([ROWS, replayed, letter])[0], "absent")

    def test_history(self):
        hist = line("hist", 40, topic="g", seq=1, mid="m", by="u1")
        read = line("histq", 41, topic="g", by="u1", lo=1, hi=9, status="complete")
        self.assertEqual(self.persisted(history=[hist, hist]), ("exact", None))
        self.assertEqual(self.persisted(history=[hist, {**hist, "seq": 2}])[0], "duplicate")
        self.assertEqual(self.persisted(history=[read])[0], "absent")
        self.assertEqual(self.persisted(history=[{**read, "status": "limited"}])[0], "unchecked")
        self.assertEqual(self.persisted(history=[{**read, "hi": 0}])[0], "unchecked")
        self.assertEqual(self.persisted([ROWS], [hist]), ("conflict", 1))
        self.assertEqual(self.persisted([ROW, ROWS], [hist, read]), ("exact", 0))
        self.assertEqual(self.persisted([ROW, ROWS], [read]), ("exact", 1))
        self.assertEqual(self.persisted([ROW, ROWS], [{**hist, "seq": 4}]), ("exact", 1))


class Scope(unittest.TestCase):
    def test_warmup_and_plan(self):
        scenarios = [{"id": "s", "kind": "group", "planned_messages": 5},
                     {"id": "w", "kind": "group", "planned_messages": 3, "warmup": True}]
        answer = audit(
            a=life(pub(1, "w1", sc="w"), pub(3, "m1", sc="s"), pub(9, "m2", sc="s"),
                   pub(9.5, "m3", sc="ghost"), line("ctrl", 9.6, mid="else", code=202)),
            scenarios=scenarios, warmup={"start": 2 * S, "end": 4 * S})
        total = answer["total"]
        self.assertEqual((total["planned"], total["unknown"], total["excluded"],
                          total["never_tried"]), (5, 2, 2, 3))
        self.assertEqual([s["planned"] for s in answer["scenarios"]], [4, 0])
        self.assertEqual(answer["ingest"]["foreign"]["ctrl"], 1)

    def test_unlisted_and_empty(self):
        answer = audit(a=life(pub(1), ack(2)), db=[ROW, ROWS],
                       topics=[{"topic": "p", "kind": "p2p", "members": ["u1", "u2"]}])
        self.assertEqual(answer["lists"]["messages"]["m"],
                         ["acked", "na", "exact", "unverified"])
        alone = audit(a=life(pub(1), ack(2)), db=[ROW, {**ROWS, "kind": "p2p"}],
                      topics=[{"topic": "g", "kind": "p2p", "members": ["u1"]}])
        self.assertEqual(alone["lists"]["messages"]["m"],
                         ["acked", "na", "exact", "unverified"])

    def test_clocks(self):
        a = life(pub(1), ack(2), line("clock", 1, agent="a", offset_ns=-5_000_000))
        b = life(data(2, "u2"), line("clock", 1, agent="b", offset_ns=5_000_000))
        self.assertTrue(audit(a=a, b=b)["total"]["latency_ms"]["delivery"]["valid"])
        b[2]["offset_ns"] += 1
        self.assertFalse(audit(a=a, b=b)["total"]["latency_ms"]["delivery"]["valid"])


if __name__ == "__main__":
    unittest.main()
