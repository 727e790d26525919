"""Agents and accounts over time: who watched, who was connected, whose clock is known."""
from bisect import bisect_left
from math import inf

CLOCK_LIMIT_NS = 5_000_000      # truth-model.md section 6


def merged(spans):
    """Closed spans in order, touching ones joined."""
    joined = []
    for lo, hi in sorted(spans):
        if joined and lo <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], hi)
        else:
            joined.append([lo, hi])
    return joined


class Agent:
    """The ledger of one agent: its directory under agents/ (section 10)."""

    def __init__(self, files, starts, ends):
        self.files = files
        self.times = sorted(t for f in files for t in f.trail if t is not None)
        starts, ends = sorted(starts), sorted(ends)
        self.cut_off = not ends
        self.watched = []
        bounds = list(starts)
        if self.times and (not starts or self.times[0] < starts[0]):
            bounds.insert(0, self.times[0])     # "or its first line"
        for i, lo in enumerate(bounds):
            after = bounds[i + 1] if i + 1 < len(bounds) else inf
            ended = [t for t in ends if lo <= t < after]
            if ended:
                self.watched.append((lo, ended[-1]))
                continue
            last = self.times[bisect_left(self.times, after) - 1]
            self.watched.append((lo, last))
            # cut off: a stretch from a start without end (section 10)
            self.cut_off |= lo in starts
        self.watched = merged(self.watched)
        self.damage = [span for f in files for span in damaged_spans(f)]

    def watching(self, lo, hi):
        return any(a <= lo and hi <= b for a, b in self.watched)

    def damaged(self, lo, hi):
        return any(a <= hi and lo <= b for a, b in self.damage)


def damaged_spans(file):
    """Where records are lost, placed by their neighbours in the file
    (section 10, Damage); a cut compressed file may lack anything."""
    if file.cut:
        return [(-inf, inf)]
    spans, before = [], -inf
    pending = False
    for t in file.trail:
        if t is None:
            pending = True
            continue
        if pending:
            spans.append((min(before, t), max(before, t)))
            pending = False
        before = t
    if pending:
        spans.append((before, inf))
    return spans


class Connection:
    """Connection life of one account; connected from ready to closed or refused."""

    def __init__(self, events):
        self.events = sorted(events, key=lambda e: e.order)
        self.spans, since = [], None
        for e in self.events:
            state = e.o["state"]
            if state == "ready" and since is None:
                since = e.t
            elif state in ("closed", "refused") and since is not None:
                self.spans.append((since, e.t))
                since = None
        self.drops = [t for _, t in self.spans]
        if since is not None:
            self.spans.append((since, inf))

    def ready_at(self, t):
        """The last ready at or before t, nothing closed after it and before t
        (section 2, READY)."""
        ready = False
        for e in self.events:
            if e.o["state"] == "ready" and e.t <= t:
                ready = True
            elif e.o["state"] in ("closed", "refused") and e.t < t:
                ready = False
        return ready

    def throughout(self, lo, hi):
        return any(a <= lo and hi < b for a, b in merged(self.spans))


NEVER_CONNECTED = Connection([])


class Fleet:
    """All agents and accounts of a run."""

    def __init__(self, run):
        self.run = run
        self.agents = self.ledgers()
        conns = {}
        self.home = {}          # account: directory with its conn and data lines
        for e in run.of("conn", "data"):
            account = e.o["who"] if e.ev == "conn" else e.o["to"]
            if e.ev == "conn":
                conns.setdefault(account, []).append(e)
            if e.agent is not None:
                self.home.setdefault(account, e.agent)
        self.has_conns = bool(conns)
        self.connections = {a: Connection(events) for a, events in conns.items()}
        offsets = {}
        for e in run.of("clock"):
            offsets.setdefault(e.o["agent"], []).append(abs(e.o["offset_ns"]))
        self.good_clocks = {a for a, values in offsets.items()
                            if max(values) <= CLOCK_LIMIT_NS}

    def ledgers(self):
        files, starts, ends = {}, {}, {}
        for f in self.run.files:
            if f.agent is not None and f.kind == "events":
                files.setdefault(f.agent, []).append(f)
        for bucket, kind in ((starts, "start"), (ends, "end")):
            for e in self.run.of(kind):
                bucket.setdefault(e.agent, []).append(e.t)
        return {name: Agent(own, starts.get(name, ()), ends.get(name, ()))
                for name, own in files.items() if any(t is not None for f in own for t in f.trail)}

    def planned(self):
        listed = (self.run.plan or {}).get("agents")
        return [a for a in listed if type(a) is str] if type(listed) is list else []

    def cut_off(self):
        return sorted(name for name, a in self.agents.items() if a.cut_off)

    def absent(self):
        return sorted(set(self.planned()) - self.agents.keys())

    def agent_of(self, account):
        """accounts.jsonl, else the directory that has the account's lines
        (section 10, Which agent)."""
        listed = (self.run.accounts or {}).get(account, {})
        return listed.get("agent") or self.home.get(account)

    def watching(self, account, lo, hi):
        agent = self.agents.get(self.agent_of(account))
        return agent is not None and agent.watching(lo, hi)

    def connection(self, account):
        return self.connections.get(account, NEVER_CONNECTED)

    def clocks_agree(self, a, b):
        """One agent's times are comparable; two agents need both clocks known."""
        return a == b or (a in self.good_clocks and b in self.good_clocks)

    def account_figures(self, agent, ready_at, lo, hi):
        """accounts of section 10: over everybody, or one agent's accounts."""
        listed = self.run.accounts
        own = [a for a in listed or () if agent in (None, self.agent_of(a))]
        planned = len(own) if listed is not None else None
        if agent is None and type((self.run.plan or {}).get("planned_accounts")) is int:
            planned = self.run.plan["planned_accounts"]
        ready = drops = None
        if self.has_conns and listed is not None and ready_at is not None:
            ready = sum(self.connection(a).ready_at(ready_at) for a in own)
        if self.has_conns and lo is not None and hi is not None:
            drops = sum(lo <= t <= hi for a, c in self.connections.items()
                        if agent in (None, self.agent_of(a)) for t in c.drops)
        return {"planned": planned, "ready": ready, "disconnects_in_load": drops}
