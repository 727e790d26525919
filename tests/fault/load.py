#!/usr/bin/env python3
"""load.py DIR [DELIVERIES [RUN_ID]]: a results directory of a group run with that many delivery lines (default 400000).

One sender writes to a group of 200; three agents watch it, in plain, gzip and plain files. Every 97th delivery is lost, every 89th
comes twice, every 83rd late. Three pods write a log and are measured every second. The same arguments give the same bytes.
"""
import datetime
import gzip
import json
import os
import sys

S, MS = 1_000_000_000, 1_000_000
T0 = 1_790_000_000 * S
MEMBERS = 200
AGENTS = ("b", "c", "d")
PODS = ("im-0", "im-1", "im-2")
SERIES = 100


def write(path, text, packed=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    data = text.encode()
    with open(path + (".gz" if packed else ""), "wb") as f:
        f.write(gzip.compress(data, 1, mtime=0) if packed else data)


def data_lines(messages, member):
    """What one receiver got."""
    for i in range(messages):
        n = i * MEMBERS + member
        if n % 97 == 0:
            continue
        late = 90 * S if n % 83 == 0 else 0
        t = T0 + i * 10 * MS + 5 * MS + member * 10_007 + n * 7919 % MS + late
        line = f'{{"ev":"data","t":{t},"mid":"lt-{i}","topic":"grp","seq":{i + 1},"to":"u{member:03d}"}}\n'
        yield line
        if n % 89 == 0:
            yield line.replace(str(t), str(t + 3 * MS))


def ledger_of(agent, messages):
    members = range(AGENTS.index(agent), MEMBERS, len(AGENTS))
    yield f'{{"ev":"start","t":{T0 - 60 * S},"agent":"{agent}"}}\n'
    for m in members:
        yield f'{{"ev":"conn","t":{T0 - 50 * S + m},"who":"u{m:03d}","state":"ready"}}\n'
    for m in members:
        yield from data_lines(messages, m)
    yield f'{{"ev":"end","t":{T0 + messages * 10 * MS + 200 * S},"agent":"{agent}"}}\n'


def sender(messages):
    yield f'{{"ev":"start","t":{T0 - 60 * S},"agent":"a"}}\n{{"ev":"conn","t":{T0 - 55 * S},"who":"s","state":"ready"}}\n'
    for i in range(messages):
        t = T0 + i * 10 * MS
        yield f'{{"ev":"pub","t":{t},"mid":"lt-{i}","topic":"grp","from":"s"}}\n'
        yield f'{{"ev":"ctrl","t":{t + 3 * MS + i},"mid":"lt-{i}","code":202,"seq":{i + 1}}}\n'
    yield f'{{"ev":"end","t":{T0 + messages * 10 * MS + 200 * S},"agent":"a"}}\n'


def database(messages):
    for i in range(messages):
        yield f'{{"ev":"row","table":"messages","mid":"lt-{i}","topic":"grp","seq":{i + 1},"id":"{i}"}}\n'
    yield f'{{"ev":"rows","t":{T0 + messages * 10 * MS + 300 * S},"table":"messages","complete":true,"count":{messages}}}\n'


def utc(t):
    return f"{datetime.datetime.fromtimestamp(t // S, datetime.timezone.utc):%Y-%m-%dT%H:%M:%S}.{t % S:09}Z"


def log_of(pod, messages):
    """Five lines a message; every 40th message overloads a pod."""
    for i in range(messages):
        t = T0 + i * 10 * MS + pod
        for n in range(5):
            yield f"{utc(t + n * MS)} stdout F I2026/09/21 14:13:20 session {i}-{n} ok\n"
        if i % 40 == pod:
            yield (f"{utc(t + 6 * MS)} stderr F W2026/09/21 14:13:20 topic proxy[grp]: route broadcast request from proxy to master failed"
                   " - cluster: load exceeded\n")


def snapshot(second):
    yield "# TYPE im_sent_total counter\n"
    for n in range(SERIES):
        yield f'im_sent_total{{shard="{n}"}} {second * (n + 1)}\n'


def main():
    top = sys.argv[1]
    messages = max(1, int(sys.argv[2] if len(sys.argv) > 2 else 400_000) // MEMBERS)
    run_id = sys.argv[3] if len(sys.argv) > 3 else "load-1"
    members = [f"u{m:03d}" for m in range(MEMBERS)]
    plan = {"format": 1, "run_id": run_id, "client_mid_prefix": "lt-", "systems": ["mysql"], "planned_accounts": MEMBERS + 1,
            "agents": ["a", *AGENTS], "pods_expected": PODS, "scenarios": [{"id": "s1", "kind": "group", "planned_messages": messages}]}
    accounts = [{"account": "s", "agent": "a"}]
    accounts += [{"account": u, "agent": AGENTS[m % len(AGENTS)]} for m, u in enumerate(members)]
    write(f"{top}/run.json", json.dumps(plan))
    write(f"{top}/accounts.jsonl", "".join(json.dumps(a) + "\n" for a in accounts))
    write(f"{top}/topics.jsonl", json.dumps({"topic": "grp", "kind": "group", "members": members}) + "\n")
    write(f"{top}/agents/a/a.jsonl", "".join(sender(messages)))
    for agent in AGENTS:
        write(f"{top}/agents/{agent}/{agent}.jsonl", "".join(ledger_of(agent, messages)), packed=agent == "c")
    write(f"{top}/db/rows.jsonl", "".join(database(messages)))
    for n, pod in enumerate(PODS):
        write(f"{top}/logs/{pod}.log", "".join(log_of(n, messages)), packed=n == 1)
        for second in range(messages // 100 + 2):
            write(f"{top}/metrics/{pod}@{T0 // S + second}.prom", "".join(snapshot(second)))


if __name__ == "__main__":
    main()
