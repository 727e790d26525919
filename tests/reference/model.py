"""Messages of a run and what happened to each (truth-model.md sections 1 to 4)."""
from collections import defaultdict
from math import inf

from agents import Fleet
from evidence import Evidence

SECOND = 1_000_000_000
DEFAULT_DRAIN = {"p2p": 30, "group": 60, None: 60}     # ledger.md section 2


class Scenario:
    """One of run.json, or (id None) the messages of a kind that fit none."""

    def __init__(self, ident, kind, planned=None, drain_s=None, warmup=False):
        self.id, self.kind, self.planned, self.warmup = ident, kind, planned, warmup
        self.drain = (DEFAULT_DRAIN.get(kind, 60) if drain_s is None else drain_s) * SECOND
        self.first_pub = self.last_pub = self.window_end = None
        self.messages, self.excluded = [], 0

    def close(self):
        """Windows use every pub line of the scenario, retries included."""
        times = [a.t for m in self.messages for a in m.attempts]
        if times:
            self.first_pub, self.last_pub = min(times), max(times)
            self.window_end = self.last_pub + self.drain


class Attempt:
    """One pub line with its answers (section 1)."""

    def __init__(self, event):
        self.event, self.t = event, event.t
        self.answers, self.fails = [], []

    @property
    def unsent(self):
        return not self.answers and any(
            f.o["why"] == "write" and f.o.get("bytes") == 0 for f in self.fails)

    @property
    def resolved(self):
        """Every answer is a refusal: non-2xx."""
        return bool(self.answers) and not any(is_success(c) for c in self.answers)


def is_answer(ctrl):
    """Without a readable code, or with 1xx, it is none (section 10, Answers)."""
    return ctrl.o.get("code", 0) >= 200


def is_success(ctrl):
    return 200 <= ctrl.o.get("code", 0) <= 299


def is_ack(ctrl):
    return is_success(ctrl) and ctrl.o.get("seq", 0) >= 1


class Message:
    def __init__(self, mid, lines):
        self.mid = mid
        lines.sort(key=lambda e: e.order)
        pubs = [e for e in lines if e.ev == "pub"]
        self.lines, self.first = lines, lines[0]
        self.attempts = [Attempt(e) for e in pubs]
        self.first_pub = pubs[0].t if pubs else None
        main = pubs[0] if pubs else lines[0]
        self.topic, self.sender = main.o["topic"], main.o["from"]
        self.home = main.agent
        self.skips = [e for e in lines if e.ev == "skip"]
        self.mid_collision = any((e.o["topic"], e.o["from"]) != (self.topic, self.sender)
                                 for e in lines)
        self.ctrls, self.fails, self.copies = [], [], []
        self.guessed = set()        # ctrl matched by mid alone after a retry
        self.late_ack = False
        self.scenario = self.kind = None
        self.excluded = False

    def attempt_at(self, t):
        """The last pub at or before t, else the first; None for skips alone."""
        before = [a for a in self.attempts if a.t <= t]
        return before[-1] if before else self.attempts[0] if self.attempts else None

    def settle(self):
        """Outcome, acks and their anomalies, once all answers are known."""
        self.acks = sorted((c for c in self.ctrls if is_ack(c)), key=lambda c: c.order)
        self.multi_seq = len({c.o["seq"] for c in self.acks}) > 1
        self.ack_without_seq = any(is_success(c) and not is_ack(c) for c in self.ctrls)
        self.acked_by = None
        for attempt in self.attempts:
            timeouts = [f.order for f in attempt.fails if f.o["why"] == "timeout"]
            for ctrl in attempt.answers:
                if not is_ack(ctrl):
                    continue
                if timeouts and ctrl.order > min(timeouts):
                    self.late_ack = True
                if ctrl is self.acks[0]:
                    self.acked_by = attempt
        self.outcome = self.find_outcome()

    def find_outcome(self):
        if not self.attempts:       # answers to skips alone: a pub line is lost
            return "unknown" if self.ctrls or self.fails else "unsent"
        if self.acks:
            return "acked"
        written = [a for a in self.attempts if not a.unsent]
        if not written:
            return "unsent"
        return "rejected" if all(a.resolved for a in written) else "unknown"

    def known_seq(self):
        """The ack's; else the one its deliveries agree on; else None: any."""
        if self.acks:
            return self.acks[0].o["seq"]
        seqs = {c.o["seq"] for c in self.copies if c.o["topic"] == self.topic}
        return seqs.pop() if len(seqs) == 1 else None


class Model:
    def __init__(self, run):
        self.run = run
        self.fleet = Fleet(run)
        self.evidence = Evidence(run)
        self.foreign = dict.fromkeys(("data", "ctrl", "fail", "row", "hist", "dead"), 0)
        lines = defaultdict(list)
        for e in run.of("pub", "skip"):
            lines[e.o["mid"]].append(e)
        self.by_mid = {mid: Message(mid, own) for mid, own in sorted(lines.items())}
        self.assign_scenarios()
        self.reconcile_start = self.mark("reconcile_start")
        self.match_answers()
        self.match_copies()
        self.evidence.match(self)
        self.messages = [m for m in self.by_mid.values() if not m.excluded]
        for m in self.messages:
            m.settle()
        self.expect()
        for m in self.messages:
            self.observe(m)
            self.evidence.judge(m)
            m.cls = classify(m)

    def mark(self, name):
        """timeline.json, else the mark lines: the earliest of a start, the
        latest of an end (ledger.md section 3)."""
        stated = self.run.timeline.get(name)
        if type(stated) is int:
            return stated
        times = [e.t for e in self.run.of("mark") if e.o["name"] == name]
        pick = max if name.endswith("_end") else min
        return pick(times) if times else None

    # ---------------------------------------------------------- scenarios

    def kind_of_topic(self, topic):
        kinds = {kind for kind, _ in (self.run.topics or {}).get(topic, ())}
        return kinds.pop() if len(kinds) == 1 else None

    def members_of(self, topic):
        """None when the topic is not listed, or twice with different members."""
        listed = (self.run.topics or {}).get(topic, ())
        return next(iter(listed))[1] if len(listed) == 1 else None

    def planned_scenarios(self):
        listed = (self.run.plan or {}).get("scenarios")
        if type(listed) is list:
            return [Scenario(s["id"], s.get("kind"), s.get("planned_messages"),
                             s.get("drain_s"), s.get("warmup") is True) for s in listed]
        kinds = {kind for t in (self.run.topics or {}).values() for kind, _ in t}
        return [Scenario(kind, kind) for kind in sorted(kinds)]

    def assign_scenarios(self):
        """ledger.md section 2, truth-model.md section 10 (Scenarios)."""
        self.scenarios = self.planned_scenarios()
        self.unplanned = {kind: Scenario(None, kind) for kind in DEFAULT_DRAIN}
        by_id = {s.id: s for s in self.scenarios}
        by_kind = defaultdict(list)
        for s in self.scenarios:
            by_kind[s.kind].append(s)
        listed = type((self.run.plan or {}).get("scenarios")) is list
        warmup = (self.run.plan or {}).get("warmup") or {}
        warm_lo, warm_hi = warmup.get("start", inf), warmup.get("end", -inf)
        for m in self.by_mid.values():
            kind = self.kind_of_topic(m.topic)
            sc = m.first.o.get("sc") if listed else None
            fitting = by_kind.get(kind, ())
            if sc is not None:
                scenario = by_id.get(sc)
            elif len(self.scenarios) == 1:
                scenario = self.scenarios[0]
            else:
                scenario = fitting[0] if len(fitting) == 1 else None
            m.scenario = scenario or self.unplanned.get(kind, self.unplanned[None])
            m.kind = kind or m.scenario.kind
            m.excluded = m.scenario.warmup or warm_lo <= m.first.t <= warm_hi
            if m.excluded:
                m.scenario.excluded += 1
            else:
                m.scenario.messages.append(m)
        for s in (*self.scenarios, *self.unplanned.values()):
            s.close()

    # ------------------------------------------------------------ answers

    def match_answers(self):
        """Section 1: by id within the agent, else by mid and time."""
        by_id = defaultdict(list)
        for m in self.by_mid.values():
            for a in m.attempts:
                if "id" in a.event.o:
                    by_id[a.event.agent, str(a.event.o["id"])].append((m, a))
        for e in self.run.of("ctrl", "fail"):
            mid = e.o.get("mid")
            named = [(m, a) for m, a in by_id.get((e.agent, str(e.o.get("id"))), ())
                     if mid in (None, m.mid)]
            m = self.by_mid.get(mid)
            attempt = None
            if named:
                m, attempt = max((p for p in named if p[1].t <= e.t),
                                 key=lambda p: p[1].event.order, default=named[0])
            if m is None:
                self.foreign[e.ev] += 1
                continue
            attempt = attempt or m.attempt_at(e.t)
            if e.ev == "fail":
                m.fails.append(e)
                if attempt:
                    attempt.fails.append(e)
                continue
            m.ctrls.append(e)
            if attempt and is_answer(e):
                attempt.answers.append(e)
            if not named and sum(a.t <= e.t for a in m.attempts) > 1:
                m.guessed.add(e)

    # ------------------------------------------------------------- copies

    def match_copies(self):
        """data at or after reconcile_start that comes after the window answers
        the read-back: it counts as hist (section 10, Copies)."""
        for e in self.run.of("data"):
            m = self.by_mid.get(e.o["mid"])
            if m is None:
                self.foreign["data"] += 1
                continue
            end = m.scenario.window_end
            if (self.reconcile_start is not None and e.t >= self.reconcile_start
                    and (end is None or e.t > end)):
                self.evidence.add_history(e)
            else:
                m.copies.append(e)
        for m in self.by_mid.values():
            m.copies.sort(key=lambda e: e.order)

    def expect(self):
        """Expected receivers (ledger.md section 4); None: not known."""
        ready = {}
        for m in self.messages:
            members = self.members_of(m.topic)
            kind = self.kind_of_topic(m.topic)
            m.members, m.is_p2p, m.not_ready = members, kind == "p2p", 0
            if members is None or m.is_p2p:
                m.expected = None if members is None else members - {m.sender}
                continue
            key = m.scenario, m.topic
            if key not in ready:
                at = m.scenario.first_pub
                ready[key] = frozenset(
                    a for a in members if not self.fleet.has_conns or
                    at is not None and self.fleet.connection(a).ready_at(at))
            m.expected = ready[key]
            m.not_ready = len(members) - len(ready[key])

    def observe(self, m):
        """Section 2: who got the message and when."""
        end = m.scenario.window_end
        m.wrong_topic = sum(c.o["topic"] != m.topic for c in m.copies)
        m.anyone = bool(m.copies)
        m.first_copies = {}         # expected receiver: its first copy
        m.duplicate = m.echo = m.unexpected = m.strangers = 0
        m.late, m.missing, m.unwitnessed, m.disconnected = 0, [], 0, 0
        m.observed, m.upper_bound = "na", False
        if m.expected is None:
            return                  # its copies are in no delivery figure
        for c in m.copies:
            to = c.o["to"]
            if c.o["topic"] == m.topic and to in m.expected:
                if to in m.first_copies:
                    m.duplicate += 1
                else:
                    m.first_copies[to] = c
            elif c.o["topic"] == m.topic and m.is_p2p and to == m.sender:
                m.echo += 1
            else:
                m.unexpected += 1
                m.strangers += to not in m.members
        m.late = sum(end is not None and c.t > end for c in m.first_copies.values())
        since = m.first.t if m.first_pub is None else m.first_pub
        until = since if end is None else max(since, end)
        for to in sorted(m.expected - m.first_copies.keys()):
            if not self.fleet.watching(to, since, until):
                m.unwitnessed += 1
                continue
            m.missing.append(to)
            m.disconnected += not self.fleet.connection(to).throughout(since, until)
        m.upper_bound = any(
            a in self.fleet.agents and self.fleet.agents[a].damaged(since, until)
            for a in {self.fleet.agent_of(to) for to in m.expected})
        if len(m.first_copies) == len(m.expected) > 0:
            m.observed = "full"
        elif m.first_copies:
            m.observed = "partial"
        elif m.missing:
            m.observed = "none"


def classify(m):
    """Section 4, first that holds."""
    stored = m.persisted in ("exact", "mismatch", "duplicate")
    if m.outcome in ("rejected", "unsent"):
        wrong = m.anyone or stored or m.in_history or m.persisted == "dead_letter"
        return "contradiction" if wrong else m.outcome
    if m.persisted in ("mismatch", "duplicate") or m.multi_seq or m.mid_collision:
        return "integrity"
    if m.outcome == "unknown":
        if m.persisted == "exact":
            return "unknown_observed_persisted" if m.anyone else "unknown_persisted"
        if m.anyone:
            return "unknown_observed"
        return "unknown_absent" if m.persisted == "absent" else "unknown_unverified"
    if m.persisted == "absent":
        return "durable_lost"
    if m.persisted == "dead_letter":
        return "dead_lettered"
    if m.persisted in ("unchecked", "conflict") or not m.expected:
        return "unverified"
    if m.missing:
        return "lost_realtime_persisted"
    if m.late:
        return "late_persisted"
    return "unverified" if m.unwitnessed else "ok"
