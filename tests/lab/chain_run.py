#!/usr/bin/env python3
"""A load of which everything is known, against the chain of tests/lab/pipe.

    chain_run.py new DIR       run.json, accounts.jsonl, topics.jsonl
    chain_run.py mark DIR NAME   timeline.json has this mark, with the time of now
    chain_run.py load DIR      send: lines for `pipe produce` on standard output, the agents' ledgers in DIR

60 p2p messages m0 to m59, in turn over three conversations, one each 20 ms. Every one is acked after 2 ms and at its receiver after 4.
Ids of the first four fit into an `int` column, those of the other 56 do not.
"""
import json
import os
import sys
import time

MESSAGES, CONVERSATIONS, FITTING = 60, 3, 4
PACE_NS, ACK_NS, DELIVERY_NS = 20_000_000, 2_000_000, 4_000_000
ID_SMALL, ID_LARGE = 1000, 7_300_000_000_000_000_000


def put(directory, name, documents):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as f:
        for document in documents:
            f.write(json.dumps(document) + "\n")
    os.rename(path + ".new", path)  # it may be read at any time


def sender(conversation):
    return f"a{conversation}"


def receiver(conversation):
    return f"b{conversation}"


def topic(conversation):
    return f"p2p-{conversation}"


def prefix(directory):
    return f"lt-{os.path.basename(directory)}-"


def new(directory):
    run = os.path.basename(directory)
    put(directory, "run.json", [{
        "format": 1, "run_id": run, "tenant": "8", "planned_accounts": 2 * CONVERSATIONS, "agents": ["a", "b"],
        "scenarios": [{"id": "s1", "kind": "p2p", "planned_messages": MESSAGES, "drain_s": 1}],
        "client_mid_prefix": prefix(directory), "server": "im-server", "systems": ["mysql", "kafka", "redis"]}])
    put(directory, "accounts.jsonl", [{"account": who(c), "agent": agent} for agent, who in (("a", sender), ("b", receiver))
                                      for c in range(CONVERSATIONS)])
    put(directory, "topics.jsonl", [{"topic": topic(c), "kind": "p2p", "members": [sender(c), receiver(c)]}
                                    for c in range(CONVERSATIONS)])


def marks(directory):
    path = os.path.join(directory, "timeline.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def mark(directory, name):
    put(directory, "timeline.json", [{**marks(directory), name: time.time_ns()}])


def load(directory):
    begin, ready = time.time_ns(), marks(directory)["baseline_start"]
    ledgers = {agent: [{"ev": "start", "t": ready, "agent": agent}] for agent in ("a", "b")}
    for c in range(CONVERSATIONS):
        ledgers["a"].append({"ev": "conn", "t": ready, "who": sender(c), "state": "ready"})
        ledgers["b"].append({"ev": "conn", "t": ready, "who": receiver(c), "state": "ready"})
    for i in range(MESSAGES):
        t, c, seq, mid = begin + i * PACE_NS, i % CONVERSATIONS, i // CONVERSATIONS + 1, f"{prefix(directory)}m{i}"
        time.sleep(max(0, t - time.time_ns()) / 1e9)
        print(json.dumps({"mid": mid, "topic": topic(c), "seq": seq, "id": str((ID_SMALL if i < FITTING else ID_LARGE) + i)}), flush=True)
        ledgers["a"].append({"ev": "pub", "t": t, "mid": mid, "topic": topic(c), "from": sender(c)})
        ledgers["a"].append({"ev": "ctrl", "t": t + ACK_NS, "mid": mid, "code": 202, "seq": seq})
        ledgers["b"].append({"ev": "data", "t": t + DELIVERY_NS, "mid": mid, "topic": topic(c), "seq": seq, "to": receiver(c)})
    for agent, lines in ledgers.items():
        lines.append({"ev": "end", "t": begin + (MESSAGES + 100) * PACE_NS, "agent": agent, "events": len(lines) + 1})
        put(directory, f"agents/{agent}/{agent}.jsonl", lines)


if __name__ == "__main__":
    {"new": new, "mark": mark, "load": load}[sys.argv[1]](os.path.abspath(sys.argv[2]), *sys.argv[3:])
