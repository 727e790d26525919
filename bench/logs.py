#!/usr/bin/env python3
"""Results directories with large logs or many metric samples around a ledger of one message.

    logs.py logs OUT FIXTURES MB [pods|one]   MB of pod logs, made of the recorded lines in FIXTURES/*/logs: as Go writes them
                                              and as a container runtime does, in a log of each kind or changing within one
    logs.py metrics OUT SAMPLES               Prometheus snapshots of two pods every ten seconds, 5,000 samples each
    logs.py sql RULES                         what lnav has to look for: the signatures of RULES/log-*.yaml
"""
import glob
import gzip
import json
import os
import re
import sys
from datetime import datetime, timedelta, timezone

T0 = 1_790_000_000  # Unix s
LINE = re.compile(rb"^([IWEF]?)(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{6}) (.*)\n$")
EPOCH = datetime(1970, 1, 1)
COPY_GAP_US = 1_000_000
STRETCH = 2000  # lines of one format before the other comes, in one log
SERIES = 5000  # of a snapshot
STEP_S = 10


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_run(out, end_s):
    """A plan, one message and its answer, and marks around everything else."""
    def lines(*objects):
        return "".join(json.dumps(o, separators=(",", ":")) + "\n" for o in objects)

    t = T0 * 10**9
    end = end_s * 10**9
    write(f"{out}/run.json", lines({
        "format": 1, "run_id": "bench-logs", "scenarios": [{"id": "s1", "kind": "p2p", "planned_messages": 1}],
        "planned_accounts": 2, "agents": ["a"], "server": "tinode", "systems": [], "log_zone": "+00:00"}))
    write(f"{out}/timeline.json", json.dumps({"load_start": t, "load_end": end, "drain_end": end}))
    write(f"{out}/accounts.jsonl", lines({"account": "a1", "agent": "a"}, {"account": "b1", "agent": "a"}))
    write(f"{out}/topics.jsonl", lines({"topic": "p2p-1", "kind": "p2p", "members": ["a1", "b1"]}))
    write(f"{out}/agents/a/a.jsonl", lines(
        {"ev": "start", "t": t, "agent": "a"},
        {"ev": "conn", "t": t, "who": "a1", "state": "ready"},
        {"ev": "conn", "t": t, "who": "b1", "state": "ready"},
        {"ev": "pub", "t": t + 1, "mid": "m1", "topic": "p2p-1", "from": "a1"},
        {"ev": "ctrl", "t": t + 2, "mid": "m1", "code": 202, "seq": 1},
        {"ev": "data", "t": t + 3, "mid": "m1", "topic": "p2p-1", "seq": 1, "to": "b1"},
        {"ev": "end", "t": end, "agent": "a", "events": 7}))


def recorded(fixtures):
    """(us since the first, level, rest) of every recorded line, in the order of time."""
    lines = []
    for run in sorted(glob.glob(f"{fixtures}/*/logs")):
        one_run = []
        for path in sorted(glob.glob(f"{run}/*.log.gz")):
            with gzip.open(path) as file:
                for line in file:
                    m = LINE.match(line)
                    if m:
                        t = datetime.strptime(m[2].decode(), "%Y/%m/%d %H:%M:%S.%f")
                        one_run.append(((t - EPOCH) // timedelta(microseconds=1), m[1], m[3]))
        one_run.sort(key=lambda x: x[0])
        shift = (lines[-1][0] + COPY_GAP_US if lines else 0) - (one_run[0][0] if one_run else 0)
        lines += [(t + shift, level, rest) for t, level, rest in one_run]
    if not lines:
        sys.exit(f"logs.py: no recorded lines below {fixtures}")
    return lines


class Stamps:
    """A time as Go and as the container runtime write it; seconds are formatted once."""

    def __init__(self):
        self.second = None
        self.go = self.cri = b""

    def at(self, us):
        second, rest = divmod(us, 1_000_000)
        if second != self.second:
            t = datetime.fromtimestamp(second, timezone.utc)
            self.second = second
            self.go = t.strftime("%Y/%m/%d %H:%M:%S").encode()
            self.cri = t.strftime("%Y-%m-%dT%H:%M:%S").encode()
        return b"%b.%06d" % (self.go, rest), b"%b.%06d" % (self.cri, rest)


def make_logs(out, fixtures, megabytes, layout):
    lines = recorded(fixtures)
    os.makedirs(f"{out}/logs", exist_ok=True)
    names = ["im-server-0.log", "im-server-1.log"] if layout == "pods" else ["im-server-0.log"]
    files = [open(f"{out}/logs/{name}", "wb") for name in names]
    stamps = Stamps()
    left, shift, n = megabytes * 1_000_000, T0 * 1_000_000, 0
    while left > 0:
        for us, level, rest in lines:
            go, cri = stamps.at(us + shift)
            line = b"%b%b %b\n" % (level, go, rest)
            as_cri = n % 2 if layout == "pods" else n // STRETCH % 2
            if as_cri:
                line = b"%b321Z stderr F %b" % (cri, line)
            files[n % len(files)].write(line)
            left -= len(line)
            n += 1
            if left <= 0:
                break
        shift += lines[-1][0] + COPY_GAP_US
    for file in files:
        file.close()
    write_run(out, shift // 1_000_000 + 1)


def make_metrics(out, samples):
    os.makedirs(f"{out}/metrics", exist_ok=True)
    n = 0
    while n * SERIES < samples:
        pod, at = n % 2, T0 + n // 2 * STEP_S
        with open(f"{out}/metrics/im-server-{pod}@{at}.prom", "w", encoding="ascii") as file:
            for family in range(SERIES // 50):
                file.write(f"# HELP im_family_{family}_total what is counted\n# TYPE im_family_{family}_total counter\n")
                for i in range(50):
                    file.write(f'im_family_{family}_total{{route="/v0/route/{i}",result="ok"}} {n * 1000 + i * family}\n')
        n += 1
    write_run(out, T0 + n // 2 * STEP_S)


def signatures(rules):
    """(id, expression) in their order. The files are ours: one expression a line, in single quotes."""
    for path in sorted(glob.glob(f"{rules}/log-*.yaml")):
        with open(path, encoding="utf-8") as file:
            name = None
            for line in file:
                if m := re.match(r"\s+id: (\S+)", line):
                    name = m[1]
                elif m := re.match(r"\s+(?:match: \[|- )\{re: ('(?:[^']|'')*')", line):
                    yield name, m[1]


def print_sql(rules):
    """One pass over all lines, a column for each id; YAML and SQL quote alike."""
    by_id = {}
    for name, expression in signatures(rules):
        by_id.setdefault(name, []).append(f"log_body REGEXP {expression}")
    print(";SELECT " + ", ".join(f'sum({" OR ".join(x)}) AS "{name}"' for name, x in by_id.items()) + " FROM impaudit_bench")


def main(args):
    if len(args) in (4, 5) and args[0] == "logs" and args[4:] in ([], ["pods"], ["one"]):
        make_logs(args[1], args[2], int(args[3]), (args[4:] or ["pods"])[0])
    elif len(args) == 3 and args[0] == "metrics":
        make_metrics(args[1], int(args[2]))
    elif len(args) == 2 and args[0] == "sql":
        print_sql(args[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
