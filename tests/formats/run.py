#!/usr/bin/env python3
"""Ingests every case and asks the store: TAP on standard output. `run.py WORD…` takes the cases whose name holds a word.

A case is (name, files, expectations): logs, metrics and cluster state in the forms that public issues show, each in a run of its own
with one message each second from T0 to T0 + 10 s. An expectation is the name of a query below, or SQL, and what it must answer: one
value, or a list of values or rows. Inputs are our own; what they must come to was worked out by hand.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, "conformance"), HERE]

import cases  # noqa: E402
import cluster  # noqa: E402
import lines  # noqa: E402
import logs  # noqa: E402
import metrics  # noqa: E402

T0_S = lines.T0 // 10**9
SOURCES = "FROM source WHERE kind = 'log'"
HITS = "FROM log_hit WHERE signature = 'log.cluster.load_exceeded'"
QUERIES = {
    "hits": f"SELECT coalesce(sum(n), 0) {HITS}",
    "at": f"SELECT second - {T0_S} {HITS} ORDER BY second, hit_no",      # seconds after T0
    "pods": f"SELECT DISTINCT pod {HITS} ORDER BY pod",
    "text": f"SELECT text {HITS}",
    "events": f"SELECT sum(samples) {SOURCES}",
    "streams": f"SELECT count(*) {SOURCES}",
    "format": f"SELECT DISTINCT format {SOURCES}",
    "damaged": f"SELECT sum(damaged) {SOURCES}",
    "accounted": f"SELECT sum(samples + damaged) {SOURCES}",
    "resent": f"SELECT sum(resent) {SOURCES}",
    "limited": f"SELECT max(limited) {SOURCES}",
    "covers": f"SELECT min(covers_load) {SOURCES}",
    "zone": f"SELECT DISTINCT zone {SOURCES}",
    "noted": f"SELECT count(note) {SOURCES}",
    "span": f"SELECT (min(first_t) - {lines.T0}) / 1e9, (max(last_t) - {lines.T0}) / 1e9 {SOURCES}",
    "panics": "SELECT subject, n FROM log_hit WHERE signature LIKE 'log.runtime.%panic' ORDER BY hit_no",
    # metrics: name and labels with the value; seconds after T0
    "samples": "SELECT s.name || s.labels, x.value FROM metric_sample AS x JOIN metric_series AS s ON s.series_no = x.series_no"
               " ORDER BY 1, x.sample_no",
    "times": f"SELECT s.name || s.labels, (x.t - {lines.T0}) / 1e9 FROM metric_sample AS x"
             " JOIN metric_series AS s ON s.series_no = x.series_no ORDER BY 1, x.sample_no",
    "types": "SELECT name, type FROM metric_series ORDER BY name",
    "bad": "SELECT coalesce(sum(damaged), 0) FROM source WHERE kind = 'metrics'",
    "flagged": "SELECT count(*) FROM source WHERE kind = 'metrics' AND (note IS NOT NULL OR cut OR sampled OR limited)",
}


def base():
    """One message each second of the load, all of them fine."""
    a = [entry for n in range(11) for entry in (lines.pub(n, f"m{n}"), lines.ack(n + .01, f"m{n}", n + 1))]
    b = [lines.data(n + .02, "b1", f"m{n}", seq=n + 1) for n in range(11)]
    return lines.run(a=a, b=b, plan={"pods_expected": ["im-server-0"]}.items(), timeline={"load_start": 0, "load_end": 10})


def answers(work, name, expectation):
    sql = QUERIES.get(expectation, expectation)
    done = cases.impaudit(work, "sql", "--run", name, "-f", "json", sql)
    if done.returncode:
        return "\n".join(cases.said(done))
    rows = [list(row.values()) for row in json.loads(done.stdout)]
    rows = [row[0] if len(row) == 1 else row for row in rows]
    return rows[0] if len(rows) == 1 and not isinstance(rows[0], list) else rows


def problems(work, name, expectations):
    for query, want in expectations.items():
        got = answers(work, name, query)
        if got != (want if not isinstance(want, list) or len(want) != 1 or isinstance(want[0], list) else want[0]):
            yield f"{query}: got {json.dumps(got, ensure_ascii=False)}, want {json.dumps(want, ensure_ascii=False)}"


def main():
    chosen = cases.chosen(logs.CASES + metrics.CASES + cluster.CASES)
    return cases.told(cases.checked([(title, base() | files, wanted) for title, files, wanted in chosen], problems))


if __name__ == "__main__":
    sys.exit(main())
