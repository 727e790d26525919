#!/usr/bin/env python3
"""Ingests every case and asks the store: TAP on standard output. `run.py WORD…` takes the cases whose name holds a word.

A case is (name, files, expectations): logs, metrics and cluster state in the forms that public issues show, each in a run of its own
with one message each second from T0 to T0 + 10 s. An expectation is the name of a query below, or SQL, and what it must answer: one
value, or a list of values or rows. Inputs are our own; what they must come to was worked out by hand.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, "conformance"), HERE]

import cluster  # noqa: E402
import lines  # noqa: E402
import logs  # noqa: E402
import metrics  # noqa: E402

IMPAUDIT = os.environ["IMPAUDIT"]
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

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


def answers(store, name, expectation):
    sql = QUERIES.get(expectation, expectation)
    done = subprocess.run([IMPAUDIT, "-q", "--store", store, "sql", "--run", name, "-f", "json", sql], capture_output=True, check=False,
                          text=True)
    if done.returncode:
        return done.stderr.strip()
    rows = [list(row.values()) for row in json.loads(done.stdout)]
    rows = [row[0] if len(row) == 1 else row for row in rows]
    return rows[0] if len(rows) == 1 and not isinstance(rows[0], list) else rows


def problems(store, name, expectations):
    for query, want in expectations.items():
        got = answers(store, name, query)
        if got != (want if not isinstance(want, list) or len(want) != 1 or isinstance(want[0], list) else want[0]):
            yield f"{query}: got {json.dumps(got, ensure_ascii=False)}, want {json.dumps(want, ensure_ascii=False)}"


def checked(cases):
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as work:
        store = os.path.join(work, "store.db")
        names = [f"c{n:03}" for n in range(1, len(cases) + 1)]
        for name, (_, files, _) in zip(names, cases):
            for path, content in (base() | files).items():
                full = os.path.join(work, name, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "wb") as f:
                    f.write(content)
        done = subprocess.run([IMPAUDIT, "-q", "--store", store, "ingest", *(os.path.join(work, name) for name in names)],
                              capture_output=True, check=False, text=True)
        if done.returncode:
            print(f"# ingest ended with {done.returncode}")
        sys.stdout.write("".join(f"# {line}\n" for line in done.stderr.splitlines()))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from zip((title for title, _, _ in cases), pool.map(
                lambda case: list(problems(store, case[0], case[1][2])), zip(names, cases)))


def main():
    cases = [c for c in logs.CASES + metrics.CASES + cluster.CASES if all(word in c[0] for word in sys.argv[1:])]
    failed = 0
    for number, (title, wrong) in enumerate(checked(cases), 1):
        failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {number} - {title}")
        sys.stdout.write("".join(f"#   {line}\n" for line in wrong))
    print(f"1..{len(cases)}")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
