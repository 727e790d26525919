#!/usr/bin/env python3
"""Write a small random results directory, the same bytes for the same seed.

usage: make_run.py SEED OUTDIR

Every rule of ledger.md and truth-model.md has a feature here that the seed
switches on with some probability. Seeds divisible by 8 are clean and healthy.
"""
import json
import os
import shutil
import sys

from evidence_lines import write_database, write_history
from lines import DOUBLE, SINGLE, damage, overlong, put, torn, write_lines
from world import LOAD, MS, S, T0, Mix, World

REFUSALS = (403, 429, 500, 502, 503, 504, 302)


class Load(World):
    """What is sent in that world, what comes back, and what is written of it."""

    # ------------------------------------------------------------- messages

    def run_load(self):
        for s in self.scenarios:
            gap = self.r.choice([20, 50, 100]) * MS
            for i in range(s.count):
                self.message(s, s.start + i * gap + self.r.randrange(gap))

    def message(self, s, plan):
        r, mix = self.r, self.mix
        topic = r.choice(s.topics)
        members = [a for a in self.topics[topic][1] if a in self.senders] or self.senders
        m = {"sender": r.choice(members), "topic": topic, "scenario": s, "rows": 1,
             "seq": None, "acks": [], "delivered": True, "dead": None, "first": None}
        m["mid"] = f"{self.prefix}{m['sender']}-{len(self.messages):05d}"
        # the sender's agent writes with its own clock: windows follow that
        m["clock"] = self.clock[self.agent_of[m["sender"]]]
        named = self.sc == "all" or (self.sc == "some" and r.random() < 0.5)
        m["sc"] = s.id if named else None
        if self.ghost_sc and r.random() < 0.05:
            m["sc"] = "ghost"
        if self.messages and r.random() < 0.02 * self.trouble:      # mid_collision
            m["mid"] = r.choice(self.messages)["mid"]
        s.sent += 1
        self.messages.append(m)
        t = plan + (int(r.expovariate(1 / (0.5 * MS))) if self.jitter else 0)
        if r.random() < 0.05 * self.trouble:        # the generator's clock runs ahead
            plan = t + 3 * MS
        m["plan"] = plan if self.planned else None
        if r.random() < 0.15 * self.trouble:
            self.skip(m, t)
            if r.random() < 0.7:
                m.update(rows=0, delivered=r.random() < 0.05)
                self.serve(m, t)
                return
            t += S
        tries = r.choice([2, 2, 3]) if r.random() < 0.2 * self.trouble else 1
        accepted = False
        for n in range(tries):
            accepted |= self.attempt(m, t, n + 1)
            t += r.choice([500 * MS, S, 6 * S])
        self.spoil(m, accepted)
        self.serve(m, m["first"])

    def skip(self, m, t):
        keys = self.optional(plan=m["plan"], sc=m["sc"])
        self.emit(self.agent_of[m["sender"]], t, ev="skip", mid=m["mid"], topic=m["topic"],
                  from_=m["sender"], why=self.r.choice(["not_connected", "overrun"]), **keys)

    @staticmethod
    def optional(**keys):
        return {k: v for k, v in keys.items() if v is not None}

    def attempt(self, m, t, n):
        """One pub and what came back; True when the server took it in."""
        r = self.r
        agent, mid, s = self.agent_of[m["sender"]], m["mid"], m["scenario"]
        if m["first"] is None:
            m["first"] = t
        s.last_pub = max(s.last_pub, t)
        ident = None
        if self.ids == "all" or (self.ids == "mixed" and r.random() < 0.5):
            self.next_id += 1
            ident = str(self.next_id)
        self.emit(agent, t, ev="pub", mid=mid, topic=m["topic"], from_=m["sender"],
                  **self.optional(plan=m["plan"], sc=m["sc"], id=ident,
                                  **({"try": n} if n > 1 else {})))
        named = {"mid": mid}
        if ident and r.random() < 0.6:
            named = r.choice([{"id": ident}, {"mid": mid, "id": ident}])
        known = {"mid": mid, **({"id": ident} if ident and r.random() < 0.5 else {})}
        quick = t + MS + int(r.expovariate(1 / (8 * MS)))
        late = t + 5 * S

        def ctrl(at, code, **keys):
            self.emit(agent, at, ev="ctrl", **named, **self.optional(code=code), **keys)

        def fail(at, why, **keys):
            self.emit(agent, at, ev="fail", why=why, **known, **keys)

        def seq():
            if m["seq"] is None or r.random() < 0.1:
                m["seq"] = self.seqs[m["topic"]] = self.seqs.get(m["topic"], 0) + 1
            return m["seq"]

        fates = ["ack"] * 4 + [
            "no_seq", "refuse", "refuse", "timeout", "socket", "closed", "write", "write_some",
            "silence", "late", "late", "ack_then_fail", "info", "no_code", "two_acks",
            "late_refusal", "early", "refuse_then_ack", "seq_zero"]
        fate = r.choice(fates) if r.random() < self.trouble else "ack"
        if fate == "ack":
            ctrl(quick, 202, seq=seq())
        elif fate == "early":           # clocks apart: the answer seems to come first
            ctrl(t - 2 * MS, 200, seq=seq())
        elif fate == "no_seq":
            ctrl(quick, 202, text="accepted")
        elif fate == "seq_zero":
            ctrl(quick, 202, seq=r.choice([0, -1, None, "7"]))
        elif fate == "refuse":
            ctrl(quick, r.choice(REFUSALS))
        elif fate == "refuse_then_ack":
            ctrl(quick, r.choice(REFUSALS))
            ctrl(quick + 9 * MS, 202, seq=seq())
        elif fate in ("timeout", "socket", "closed"):
            fail(late if fate == "timeout" else quick, fate, detail="no answer")
        elif fate == "write":
            fail(quick, "write", bytes=0)
        elif fate == "write_some":
            fail(quick, "write", **r.choice([{"bytes": 17}, {}]))
        elif fate == "late":
            fail(late, "timeout")
            ctrl(late + 40 * MS, 202, seq=seq())
        elif fate == "late_refusal":
            fail(late, "timeout")
            ctrl(late + 40 * MS, r.choice(REFUSALS))
        elif fate == "ack_then_fail":
            ctrl(quick, 202, seq=seq())
            fail(late, r.choice(["closed", "timeout"]))
        elif fate == "info":
            ctrl(quick, r.choice([100, 102]))
            if r.random() < 0.5:
                fail(late, "timeout")
        elif fate == "no_code":
            ctrl(quick, r.choice([None, "202"]))
        elif fate == "two_acks":
            ctrl(quick, 202, seq=seq())
            ctrl(quick + 30 * MS, 202, seq=m["seq"] + 1000)
        return fate in ("ack", "early", "late", "ack_then_fail", "two_acks", "refuse_then_ack")

    def spoil(self, m, accepted):
        """What the server did with the message, honestly or not."""
        r = self.r
        if not accepted:
            m["rows"] = m["delivered"] = r.random() < 0.3
            if m["delivered"] and r.random() < 0.3:
                m["rows"] = 0
        if r.random() < 0.2 * self.trouble:
            m["rows"] = r.choice([0, 0, 2, 1])
            m["delivered"] = r.random() < 0.6
            m["dead"] = r.choice([None, "dead", "replayed", "both"])
        if m["seq"] is None:
            m["seq"] = self.seqs[m["topic"]] = self.seqs.get(m["topic"], 0) + 1

    # ------------------------------------------------------------- delivery

    def serve(self, m, t):
        m["at"] = t
        m["rows"] = int(m["rows"])

    def deliver_all(self):
        """Copies, once every scenario's window is known."""
        r = self.r
        for m in self.messages:
            kind, members = self.topics[m["topic"]]
            if not m["delivered"]:
                continue
            base = m["at"] + MS + (int(r.expovariate(1 / (20 * MS))) if self.jitter else 0)
            seq = m["seq"] if m["seq"] is not None else 1
            end = m["scenario"].window_end + m["clock"]
            lost = 0.3 * self.trouble * r.random()
            for to in members:
                t = base + r.randrange(self.jitter + 1)
                if r.random() < lost:
                    continue
                if self.offline(to, t) and r.random() < 0.95:
                    continue
                odd = r.random() if self.trouble else 1
                if odd < 0.02:
                    t += r.randrange(2 * S)                     # overtaken
                elif odd < 0.04:                                # late, or just not
                    t = end + r.choice([-S, -1, 0, 1, S, 20 * S]) - self.clock.get(
                        self.agent_of[to], 0)
                elif odd < 0.045 and self.reconcile:
                    t = self.reconcile + 3 * S + r.randrange(S)
                other = r.random() if self.trouble else 0.5
                self.copy(m, to, t, seq + (5000 if other < 0.004 else 0),
                          topic=r.choice(list(self.topics)) if other > 0.995 else None)
                for _ in range(r.choice([1, 1, 2]) if r.random() < 0.05 * self.trouble else 0):
                    self.copy(m, to, t + r.choice([0, 0, MS, S, 70 * S]), seq)
            if r.random() < 0.1 * self.trouble:
                self.copy(m, r.choice(self.outsiders + self.accounts), base, seq)

    def copy(self, m, to, t, seq, topic=None):
        self.emit(self.agent_of[to], t, ev="data", mid=m["mid"], topic=topic or m["topic"],
                  seq=seq, to=to, **({"from": m["sender"]} if self.r.random() < 0.5 else {}))

    def foreign(self):
        """Lines whose mid the run does not have, with and without its prefix."""
        r = self.r
        for _ in range(r.randrange(1, 8)):
            mid = r.choice(["lt-earlier-1", self.prefix + "lost-1", "lt-earlier-2"])
            agent, t = r.choice(self.agents), LOAD + r.randrange(9 * S)
            to = r.choice(self.accounts)
            self.emit(agent, t, **r.choice([
                dict(ev="data", mid=mid, topic=r.choice(list(self.topics)), seq=1, to=to),
                dict(ev="ctrl", mid=mid, code=202, seq=4), dict(ev="ctrl", id="nobody", code=202),
                dict(ev="fail", mid=mid, why="timeout")]))

    # ---------------------------------------------------------- other lines

    def health_and_clocks(self):
        r, mix = self.r, self.mix
        silent = r.choice(self.agents) if mix.on(0.25) else None
        if mix.on(0.2):
            self.emit(r.choice(self.agents), LOAD, ev="novel", what=1)
        for agent in self.agents:
            for k in range(6):
                t = T0 + k * 20 * S + r.randrange(S)
                if agent != silent:
                    spread = r.randrange(-100_000, 100_000)
                    self.emit(agent, t, ev="clock", agent=agent, source="ntp", rtt_ns=400_000,
                              offset_ns=self.clock[agent] + spread)
                self.emit(agent, t, ev="health", agent=agent, cpu_pct=r.randrange(90),
                          fds=100 + k)

    def marks(self):
        self.last_end = max(s.window_end for s in self.scenarios)
        if self.mix.on(0.5):
            self.reconcile = max(self.last_end, LOAD) + self.r.choice([-S, S, 10 * S])
        stated = {"load_start": LOAD, "load_end": max(s.last_pub for s in self.scenarios),
                  "drain_end": self.last_end}
        if self.reconcile:
            stated["reconcile_start"] = self.reconcile
        if self.mix.on(0.2):
            stated.pop("load_start")
        self.timeline = None
        where = self.r.random()
        if where < 0.5:
            self.timeline = stated
        elif where < 0.75:
            for agent in self.agents:
                for name, t in stated.items():
                    self.emit(agent, t + self.r.randrange(3 * MS), ev="mark", name=name)
        else:
            self.reconcile = None

    # -------------------------------------------------------------- ledgers

    def lives(self, agent):
        """The stretches of an agent's life: (from, to, has an end line)."""
        r, mix = self.r, self.mix
        end = LOAD + 300 * S
        if mix.on(0.12):                                    # cut off
            return [(T0, LOAD + r.randrange(40 * S), False)]
        if mix.on(0.12):                                    # restarted
            down = LOAD + r.randrange(20 * S)
            return [(T0, down, r.random() < 0.5),
                    (down + S + r.randrange(5 * S), end, r.random() < 0.8)]
        return [(T0, end, True)]

    def write_ledgers(self, root):
        for agent in self.agents:
            lines, lives = [], self.lives(agent)
            starts = len(lives) > 1 or not self.mix.on(0.05)    # a ledger without start
            for lo, hi, ended in lives:
                own = [(t, o) for t, o in self.ledger[agent] if lo < t < hi]
                own.sort(key=lambda e: e[0] // (50 * MS))   # flushed every 50 ms
                if starts:
                    own.insert(0, (lo, {"ev": "start", "t": lo, "agent": agent}))
                if ended:
                    own.append((hi, {"ev": "end", "t": hi, "agent": agent,
                                     "events": len(lines) + len(own)}))
                lines += own
            texts = [self.style.line(self.r, o) for _, o in lines]
            if not ended and self.r.random() < 0.5:
                texts[-1:] = torn(self.r, texts[-1])        # the mark of a cut
            self.write_split(root, agent, texts)

    def write_split(self, root, agent, texts):
        r, mix = self.r, self.mix
        n = r.choice([1, 1, 2, 3]) if not mix.clean else 1
        if r.random() < 0.5:                                # by time, else line by line
            parts = [texts[i * len(texts) // n:(i + 1) * len(texts) // n] for i in range(n)]
        else:
            parts = [[] for _ in range(n)]
            for text in texts:
                r.choice(parts).append(text)
        for _ in range(r.randrange(1, 6) if mix.on(0.2) else 0):    # re-sent lines
            source = [p for p in parts if p]
            part = r.choice(source)
            into = r.choice(source)
            into.insert(r.randrange(len(into) + 1), r.choice(part))
        parts = [self.damaged(p, 0.25) for p in parts if p]
        for i, part in enumerate(parts):
            write_lines(mix, root, f"agents/{agent}/part-{i}.jsonl", part, self.style)
        if mix.on(0.08):                                    # a file twice
            write_lines(mix, root, f"agents/{agent}/part-9.jsonl", parts[0], self.style)
        if mix.on(0.03) and len(self.agents) > 1:           # and in another agent
            other = next(a for a in self.agents if a != agent)
            write_lines(mix, root, f"agents/{other}/stray.jsonl", parts[0], self.style)

    def damaged(self, lines, p):
        r, mix = self.r, self.mix
        if not mix.on(p):
            return lines
        kinds = r.sample(SINGLE + DOUBLE, r.randrange(1, 6))
        if mix.on(0.02) and mix.packing:
            kinds = [overlong]
            return damage(r, lines, kinds, 1)
        lines = damage(r, lines, kinds, r.randrange(1, 8))
        if mix.on(0.3):
            lines = [*lines, lines[-1][:max(1, len(lines[-1]) // 2)]]   # a torn end
        return lines

    # ------------------------------------------------------------ documents

    def write_plan(self, root):
        r, mix = self.r, self.mix
        if mix.on(0.1):
            return
        scenarios = []
        for s in self.scenarios:
            o = {"id": s.id, "kind": s.kind, "planned_messages": s.sent + 7 * mix.on(0.3)}
            if s.drain_s:
                o["drain_s"] = s.drain_s
            if s.warmup:
                o["warmup"] = True
            if mix.on(0.05):
                del o["planned_messages"]
            scenarios.append(o)
        plan = {"format": 1, "run_id": self.id, "scenarios": scenarios,
                "agents": self.agents + ([self.absent] if self.absent else []),
                "client_mid_prefix": self.prefix}
        if r.random() < 0.7:
            plan["planned_accounts"] = len(self.accounts) + 2 * mix.on(0.3)
        if self.warmup:
            plan["warmup"] = self.warmup
        put(root, "run.json", json.dumps(plan, indent=1).encode())

    def write_lists(self, root):
        r, mix = self.r, self.mix
        if not mix.on(0.12):
            lines = []
            for i, a in enumerate(self.accounts):
                o = {"account": a, "user": f"usr{i}", "agent": self.agent_of[a], "index": i}
                if mix.on(0.03):
                    del o["agent"]
                lines.append(json.dumps(o).encode())
            write_lines(mix, root, "accounts.jsonl", lines, self.style)
        if not mix.on(0.08):
            listed = [(t, kind, members) for t, (kind, members) in self.topics.items()
                      if t != self.unlisted]
            if mix.on(0.1) and listed:
                topic, kind, members = r.choice(listed)
                again = members[:-1] if r.random() < 0.6 else members[::-1]
                listed.append((topic, kind, again))
            write_lines(mix, root, "topics.jsonl",
                        [json.dumps({"topic": t, "kind": k, "members": m}).encode()
                         for t, k, m in listed], self.style)

    def write(self, root):
        self.write_plan(root)
        if self.timeline:
            put(root, "timeline.json", json.dumps(self.timeline).encode())
        self.write_lists(root)
        self.write_ledgers(root)
        write_database(self, root)
        write_history(self, root)
        if self.mix.on(0.15):
            put(root, "notes.txt", b"by hand\n")
        if self.mix.on(0.15):
            put(root, "report.md", b"# an earlier report\n")
            put(root, "impaudit.db", b"an earlier store")


def make(seed, root):
    world = Load(Mix(seed))
    world.connect_all()
    world.run_load()
    world.marks()
    world.deliver_all()
    if world.mix.on(0.3):
        world.foreign()
    world.health_and_clocks()
    world.write(root)


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        sys.exit("usage: make_run.py SEED OUTDIR")
    if os.path.isdir(sys.argv[2]):
        shutil.rmtree(sys.argv[2])
    make(int(sys.argv[1]), sys.argv[2])


if __name__ == "__main__":
    main()
