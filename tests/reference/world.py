"""The world of a made run: accounts, topics, scenarios, agents, connections
(used by make_run.py)."""
import random

from lines import Style

S, MS = 1_000_000_000, 1_000_000
T0 = 1_790_000_000 * S
LOAD = T0 + 40 * S


class Mix:
    """The random source and the switches of one run."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.seed = seed
        self.clean = seed % 8 == 0
        self.packing = self.on(0.4)

    def on(self, p):
        return self.r.random() < p and not self.clean


class Scenario:
    def __init__(self, ident, kind, warmup=False):
        self.id, self.kind, self.warmup = ident, kind, warmup
        self.topics, self.start, self.count, self.sent = [], LOAD, 0, 0
        self.drain_s = None
        self.last_pub = LOAD

    @property
    def window_end(self):
        drain = self.drain_s or (60 if self.kind == "group" else 30)
        return self.last_pub + drain * S


class World:
    def __init__(self, mix):
        self.mix, self.r = mix, mix.r
        r = self.r
        self.id = f"r{mix.seed}"
        self.prefix = f"lt-{self.id}-"
        self.style = Style(mix)
        self.coarse = mix.on(0.25)
        self.agents = ["a", "b", "c"][:r.choice([1, 2, 2, 3])]
        self.absent = "z" if mix.on(0.1) else None
        self.clock = {a: r.randrange(-2 * MS, 2 * MS) for a in self.agents}
        if mix.on(0.2):
            self.clock[r.choice(self.agents)] = r.choice([-40, 30, 90]) * MS
        self.ledger = {a: [] for a in self.agents}      # agent: [(t, object)]
        self.conns = not mix.on(0.1)
        self.ids = r.choice(["all", "none", "mixed"])
        self.planned = r.random() < 0.8                 # plan times are written
        self.make_accounts()
        self.make_topics()
        self.make_scenarios()
        self.messages = []
        self.seqs = {}
        self.next_id = 0
        self.trouble = 0 if mix.clean else r.choice([0, 0.05, 0.2, 0.5])
        self.reconcile = None
        self.jitter = 0 if mix.clean or r.random() < 0.3 else 30 * MS

    # ------------------------------------------------------------ the plan

    def make_accounts(self):
        r = self.r
        self.accounts = [f"u{i:03d}" for i in range(r.randrange(6, 24))]
        self.agent_of = {a: self.agents[i % len(self.agents)]
                         for i, a in enumerate(self.accounts)}
        if self.absent:
            for a in self.accounts[-2:]:
                self.agent_of[a] = self.absent
        self.outsiders = ["x001", "x002"]
        for a in self.outsiders:
            self.agent_of[a] = self.agents[0]
        self.senders = [a for a in self.accounts if self.agent_of[a] in self.agents]
        self.outages = {}

    def make_topics(self):
        r = self.r
        self.topics = {}                                # topic: (kind, members)
        for i in range(r.randrange(1, 6)):
            self.topics[f"p2p-{i}"] = ("p2p", r.sample(self.accounts, 2))
        for i in range(r.randrange(1, 3)):
            n = r.randrange(3, len(self.accounts) + 1)
            self.topics[f"grp-{i}"] = ("group", r.sample(self.accounts, n))
        for kind, members in self.topics.values():
            if not any(a in self.senders for a in members):
                members[0] = self.senders[0]
        if self.mix.on(0.1):
            self.topics["p2p-alone"] = ("p2p", [self.senders[0]])
        self.unlisted = r.choice(list(self.topics)) if self.mix.on(0.15) else None

    def make_scenarios(self):
        r, mix = self.r, self.mix
        kinds = r.choice([["p2p"], ["group"], ["p2p", "group"], ["p2p", "group"],
                          ["p2p", "p2p"], ["group", "p2p", "group"]])
        self.scenarios = [Scenario(f"s{i + 1}", kind) for i, kind in enumerate(kinds)]
        total = r.randrange(30, 400)
        for s in self.scenarios:
            s.topics = [t for t, (kind, _) in self.topics.items() if kind == s.kind]
            s.count = max(5, total // len(self.scenarios))
            s.start = LOAD + r.choice([0, 0, 3 * S, 20 * S]) + r.randrange(S)
            if mix.clean:                               # one after the other: in order
                s.start = LOAD + 60 * S * self.scenarios.index(s)
            s.drain_s = r.choice([None, 2, 4, 8])
        twins = len(set(kinds)) < len(kinds)
        # every message, none, or some carry the scenario's name
        self.sc = r.choice(["all", "none", "some"] if not twins else ["all", "all", "some"])
        self.warmup = None
        if mix.on(0.15):
            warm = Scenario("w", r.choice(["p2p", "group"]), True)
            warm.topics = [t for t, (kind, _) in self.topics.items() if kind == warm.kind]
            warm.count, warm.start, self.sc = 8, LOAD - 10 * S, "all"
            warm.drain_s = 2
            self.scenarios.append(warm)
        if mix.on(0.15):
            self.warmup = {"start": LOAD - 20 * S + 1, "end": LOAD + 2 * S + 7}
        self.ghost_sc = mix.on(0.08)

    # -------------------------------------------------------------- writing

    def emit(self, agent, t, /, **keys):
        """Write down what happened, on the agent's own clock."""
        if agent not in self.ledger:
            return
        t += self.clock[agent]
        if self.coarse:
            t -= t % MS
        ev = keys.pop("ev")
        if "from_" in keys:
            keys["from"] = keys.pop("from_")
        self.ledger[agent].append((t, {"ev": ev, "t": t, **keys}))

    # ---------------------------------------------------------- connections

    def connect_all(self):
        r, mix = self.r, self.mix
        trouble = 0 if mix.clean else r.choice([0, 0.1, 0.3])
        for account in self.accounts + self.outsiders:
            t = T0 + S + r.randrange(20 * S)
            fate = r.choice(["refused", "open", "away", "drop", "drop", "twice", "gone"]
                            ) if r.random() < trouble else "fine"
            self.connect(account, t, fate)

    def conn(self, account, t, state, **keys):
        if self.conns:
            self.emit(self.agent_of[account], t, ev="conn", who=account, state=state, **keys)

    def connect(self, account, t, fate):
        r = self.r
        end = LOAD + 200 * S + r.randrange(S)
        self.conn(account, t, "open", pod=f"im-server-{r.randrange(3)}")
        if fate == "refused":
            self.conn(account, t + 5 * MS, "refused", code=503)
        if fate in ("refused", "open"):
            self.outages[account] = [(0, end)]
            return
        self.conn(account, t + 20 * MS, "ready")
        gaps = []
        if fate == "away":
            gaps.append((LOAD - 5 * S, LOAD + r.randrange(4, 30) * S))
        elif fate == "drop":
            for _ in range(r.choice([1, 1, 2])):
                at = max([LOAD, *(b for _, b in gaps)]) + S + r.randrange(15 * S)
                gaps.append((at, at + S + r.randrange(8 * S)))
        elif fate == "gone":
            gaps.append((LOAD + r.randrange(25 * S), end))
        elif fate == "twice":
            self.conn(account, LOAD + r.randrange(9 * S), "ready")
        for lo, hi in gaps:
            self.conn(account, lo, r.choice(["closed", "closed", "refused"]), code=1006)
            if hi < end:
                self.conn(account, hi - 50 * MS, "open")
                self.conn(account, hi, "ready")
        self.outages[account] = gaps
        if not gaps or gaps[-1][1] < end:
            self.conn(account, end, "closed", code=1000, why="done")

    def offline(self, account, t):
        return any(lo <= t < hi for lo, hi in self.outages.get(account, ()))
