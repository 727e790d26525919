#!/usr/bin/env python3
"""Reference audit of a results directory: the truth model in plain Python.

usage: truth.py DIR > answer.json

The keys are those of the stable part of the JSON report, and "lists": every
missing pair and every message with its outcome, observed, persisted, class.
"""
import json
import sys

from figures import figures
from model import Model
from reader import load


def ingest(run, model):
    return {
        "files": len(run.files), **run.count, "foreign": model.foreign,
        "cut_off_agents": model.fleet.cut_off(), "absent_agents": model.fleet.absent(),
        "files_not_read": sorted(run.not_read),
    }


def report(run):
    model = Model(run)
    fleet = model.fleet
    load_start = model.mark("load_start")
    pubs = [a.t for m in model.messages for a in m.attempts]
    if load_start is None and pubs:
        load_start = min(pubs)
    every = (*model.scenarios, *model.unplanned.values())
    ends = [s.window_end for s in every if s.window_end is not None]
    last_end = max(ends, default=None)

    def accounts(agent=None, ready_at=load_start):
        return fleet.account_figures(agent, ready_at, load_start, last_end)

    scenarios, planned = [], 0
    for s in model.scenarios:
        plan = s.planned
        if type(plan) is not int:       # no plan: the number of distinct mids
            plan = len(s.messages) + s.excluded
        plan = 0 if s.warmup else plan - s.excluded
        planned += plan
        scenarios.append({"id": s.id, "kind": s.kind, **figures(
            model, s.messages, plan, s.excluded, accounts(ready_at=s.first_pub))})
    planned += sum(len(s.messages) for s in model.unplanned.values())

    def sender_agent(m):
        listed = (run.accounts or {}).get(m.sender, {})
        return listed.get("agent") or m.home

    agents = []
    listed = {o["agent"] for o in (run.accounts or {}).values() if "agent" in o}
    for name in sorted({*fleet.agents, *fleet.planned(), *listed}):
        own = [m for m in model.by_mid.values() if sender_agent(m) == name]
        agents.append({"id": name, **figures(
            model, [m for m in own if not m.excluded], None,
            sum(m.excluded for m in own), accounts(name))})

    return {
        "run": {"id": (run.plan or {}).get("run_id", run.name)},
        "ingest": ingest(run, model),
        "agents": agents,
        "scenarios": scenarios,
        "total": figures(model, model.messages, planned,
                         sum(m.excluded for m in model.by_mid.values()), accounts()),
        "lists": {
            "missing": sorted([m.mid, to] for m in model.messages
                              if m.outcome == "acked" for to in m.missing),
            "messages": {m.mid: [m.outcome, m.observed, m.persisted, m.cls]
                         for m in model.messages},
        },
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: truth.py DIR")
    json.dump(report(load(sys.argv[1])), sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
