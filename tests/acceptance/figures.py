"""Figures that a JSON report states, and how they are held against published ones.

A check takes the report and a published figure and gives (where, have, want), one for each
comparison.
"""

import json
import os
import subprocess
from fractions import Fraction
from operator import mul

NAMED = ("confirmed", "probable")


class Report:
    """The report's figures by path; absent counters of a map are 0, other absent keys None."""

    MAPS = ("classes", "by_code", "by_fail", "by_skip")

    def __init__(self, doc, store):
        self.doc = doc
        self.store = store

    def rows(self, sql):
        """What the store answers, row by row."""
        program = os.environ.get("IMPAUDIT", "./impaudit")
        done = subprocess.run([program, "-q", "--store", self.store, "sql", "-f", "json", sql],
                              capture_output=True, check=False, text=True)
        if done.returncode:
            raise SystemExit(f"{sql}: {done.stderr.strip()}")
        return [list(row.values()) for row in json.loads(done.stdout)]

    def ask(self, sql):
        """The one value it answers."""
        return self.rows(sql)[0][0]

    def result_of(self, cause):
        """confirmed, probable, …; None: the report does not have it."""
        found = [c["result"] for part in ("causes", "findings")
                 for c in self.doc[part] if c["id"] == cause]
        return found[0] if found else None

    def total(self, path):
        return self.figure(self.doc["total"], path)

    def figure(self, node, path):
        keys = path.split(".")
        if keys[0] in self.MAPS:
            return node[keys[0]].get(keys[1], 0)
        for key in keys:
            node = node.get(key) if node else None
        return node

    def part(self, section, name, path):
        for part in self.doc[section]:
            if name in (part["id"], part.get("kind")):
                return self.figure(part, path)
        return None

    def failed_gates(self):
        return sorted(g["id"] for g in self.doc.get("gates", []) if g["result"] == "fail")


def at(*paths, scale=1):
    """The published figure equals each of these figures of `total`, divided by scale."""
    def check(report, want):
        return [(path, scaled(report.total(path), scale), want) for path in paths]
    return check


def sum_of(first, *more):
    """… equals the sum of these figures; a path with a leading minus is subtracted."""
    def check(report, want):
        values = [report.total(path.removeprefix("-")) for path in (first, *more)]
        signs = [-1 if path.startswith("-") else 1 for path in (first, *more)]
        have = None if None in values else sum(map(mul, values, signs))
        return [(" ".join((first, *more)), have, want)]
    return check


def scaled(value, scale):
    """Milliseconds as seconds, exactly: published figures are decimal numbers."""
    return value if scale == 1 or value is None else float(Fraction(str(value)) / scale)


def percent(path):
    """… is this rate in percent, rounded to the digits that were published."""
    def check(report, want):
        digits = len(str(want).partition(".")[2])
        have = report.total(path)
        return [(path, have if have is None else round(have * 100, digits), want)]
    return check


def in_bucket(path, low):
    """… is the upper bound of the histogram bucket (low, bound] that holds this figure."""
    def check(report, bound):
        have = report.total(path)
        return [(path, bound if have is not None and low < have <= bound else have, bound)]
    return check


def by_scenario(kind, path):
    return lambda report, want: [(f"{kind}: {path}", report.part("scenarios", kind, path), want)]


def only_these(path):
    """… failed gates, and no others."""
    return lambda report, want: [(path, report.failed_gates(), sorted(want))]


def lost_but_stored(report, want):
    """Missing deliveries, all of them of messages that are stored."""
    kept = report.total("classes.ok") + report.total("classes.lost_realtime_persisted")
    return [("delivery.missing", report.total("delivery.missing"), want),
            ("classes.ok + lost_realtime_persisted", kept, report.total("acked"))]


def per_agent(report, want):
    paths = {"attempts": "attempted", "acked": "acked", "503": "by_code.503",
             "timeout": "by_fail.timeout", "socket": "by_fail.socket",
             "disconnects": "accounts.disconnects_in_load",
             "missing_in_ack_ledger": "delivery.missing",
             "unacked_deliveries": "delivery.unacked_deliveries"}
    return [(f"agent {agent}: {paths[name]}", report.part("agents", agent, paths[name]), value)
            for agent, figures in want.items() for name, value in figures.items()]


def verdict(report, want):
    return [("verdict.result", report.figure(report.doc, "verdict.result"), want)]


CHECKED = sum_of("acked", "delivery.unacked_messages_observed")


def read_back(report, want):
    """[found, asked]: all that was asked for (acked, or seen without an ack) was found."""
    found, asked = want
    return CHECKED(report, asked) + history_hit(report, found)


def history_hit(report, want):
    """Found in all; the report counts the acked messages among them."""
    seen = report.total("delivery.unacked_messages_observed") or 0
    return at("persistence.history_found")(report, want - seen)


def of_one_receiver(report, _words):
    """In words: all 8 belong to one receiver, whose socket was closed once."""
    return at("delivery.missing", "delivery.receiver_disconnected")(report, 8)


def codes_of_refusals(report, _words):
    """In words: 502, time-outs, and 35 with 403, 11 of them on a and 24 on b."""
    return at("by_code.403")(report, 35) + [
        (f"agent {agent}: by_code.403", report.part("agents", agent, "by_code.403"), want)
        for agent, want in (("a", 11), ("b", 24))] + [
        (f"some {path}", (report.total(path) or 0) > 0, True)
        for path in ("by_code.502", "by_fail.timeout")]


def results(wanted, said):
    """Each of these causes has a result of this kind."""
    def check(report, causes):
        found = [(cause, report.result_of(cause)) for cause in causes]
        return [(cause, said if wanted(result) else result, said) for cause, result in found]
    return check
