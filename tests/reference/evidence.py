"""Rows, dead letters and history: what was stored (truth-model.md section 3)."""
from collections import defaultdict


class Evidence:
    def __init__(self, run):
        self.run = run
        self.found = defaultdict(set)       # mid: (topic, seq) in history
        self.has_history = any(True for _ in run.of("hist", "histq"))
        self.has_database = any(True for _ in run.of("row", "rows", "dead", "deads"))
        for e in run.of("hist"):
            self.add_history(e)
        self.rows = defaultdict(set)        # mid: distinct rows
        self.in_check = defaultdict(set)    # (table, check): distinct rows
        for e in run.of("row"):
            o = e.o
            row = o["table"], o.get("id"), o["mid"], o["topic"], o["seq"]
            self.rows[o["mid"]].add(row)
            self.in_check[o["table"], o.get("check", 1)].add(row)
        self.lookups = {}                   # (check, table, kind): its last rows line
        for e in sorted(run.of("rows"), key=lambda e: e.order):
            self.lookups[e.o.get("check", 1), e.o["table"], e.o.get("kind")] = e
        self.letters = {}                   # mid: latest state of its dead letter
        for e in sorted(run.of("dead"), key=lambda e: (e.t, e.o.get("check") or 1, e.pos)):
            self.letters[e.o["mid"]] = e.o.get("state", "dead")
        self.complete_reads = defaultdict(list)     # topic: histq events
        for e in run.of("histq"):
            if e.o["status"] == "complete":
                self.complete_reads[e.o["topic"]].append(e)
        self.coverage = {}

    def add_history(self, event):
        self.has_history = True
        self.found[event.o["mid"]].add((event.o["topic"], event.o["seq"]))

    def match(self, model):
        """Lines whose mid the run does not have are foreign."""
        for e in self.run.of("row", "hist", "dead"):
            model.foreign[e.ev] += e.o["mid"] not in model.by_mid

    # -------------------------------------------------- absence as evidence

    def lookup_complete(self, event):
        """A rows line that ended complete; no record of its file was rejected;
        without kind, its count agrees with the rows read."""
        o = event.o
        if not o["complete"] or event.file.rejected or event.file.cut:
            return False
        rows = self.in_check[o["table"], o.get("check", 1)]
        return o.get("kind") is not None or o["count"] == len(rows)

    def absence_covered(self, kind, last_pub):
        """ledger.md section 7: in some check every table that has rows lines
        for this kind ended complete, at or after the scenario's last pub."""
        key = kind, last_pub
        if key not in self.coverage:
            asked = {k: e for k, e in self.lookups.items() if k[2] in (None, kind)}
            tables = {table for _, table, _ in asked}
            self.coverage[key] = any(
                all(self.table_complete(asked, check, table, last_pub) for table in tables)
                for check in {check for check, _, _ in asked})
        return self.coverage[key]

    def table_complete(self, asked, check, table, last_pub):
        ended = [e for (c, t, _), e in asked.items() if (c, t) == (check, table)]
        return bool(ended) and all(
            self.lookup_complete(e) and (last_pub is None or e.t >= last_pub) for e in ended)

    def read_completely(self, topic, seq, last_pub):
        """Inside a range that a complete query covered after the last pub
        (ledger.md section 6)."""
        return any(e.o["lo"] <= seq <= e.o["hi"] and (last_pub is None or e.t >= last_pub)
                   for e in self.complete_reads.get(topic, ()))

    # ------------------------------------------------------------- judgement

    def judge(self, m):
        """Set persisted, in_history, has_row and witness_conflict of a message."""
        rows = self.rows.get(m.mid, ())
        found = self.found.get(m.mid, ())
        last_pub = m.scenario.last_pub
        seq = m.known_seq()
        m.has_row, m.in_history, m.witness_conflict = bool(rows), bool(found), False
        if rows:
            tables = [table for table, *_ in rows]
            twice = len(tables) > len(set(tables))
            m.persisted = "duplicate" if twice else place(m, seq, {r[3:] for r in rows})
            stored = {r[3:] for r in rows}
            m.witness_conflict = bool(set(found) - stored) or any(
                pair not in found and self.read_completely(*pair, last_pub)
                for pair in stored)
        elif self.letters.get(m.mid) == "dead":
            m.persisted = "dead_letter"
            m.witness_conflict = bool(found)
        elif self.absence_covered(m.kind, last_pub):
            m.persisted = "conflict" if found else "absent"
            m.witness_conflict = bool(found)
        elif found:
            m.persisted = "duplicate" if len(found) > 1 else place(m, seq, found)
        elif seq is not None and self.read_completely(m.topic, seq, last_pub):
            m.persisted = "absent"
        else:
            m.persisted = "unchecked"


def place(m, seq, pairs):
    """exact when every (topic, seq) found is the message's own."""
    right = all(topic == m.topic and seq in (None, found) for topic, found in pairs)
    return "exact" if right else "mismatch"
