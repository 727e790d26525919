#!/usr/bin/env python3
"""Compare a JSON report with the reference answer, key by key.

usage: compare.py DIR REPORT.json [--answer ANSWER.json]

Counts compare exactly, latencies to 1e-6 ms, rates to 1e-12; in the maps of
named counters an absent name is 0. Keys the reference does not give are not
looked at. Prints every difference; exit 1 when there is one.
"""
import json
import sys

from reader import load
from truth import report

COUNTERS = {"by_code", "by_fail", "by_skip", "classes"}
ABSENT = object()


def close(ours, theirs, path):
    """Whether two leaves are equal."""
    if ours is None or theirs is None or type(ours) in (bool, str):
        return type(ours) is type(theirs) and ours == theirs
    if type(theirs) not in (int, float) or type(theirs) is bool:
        return False
    if "latency_ms" in path and path[-1] not in ("n", "ambiguous"):
        return abs(ours - theirs) <= 1.000001e-6
    if "rates" in path:
        return abs(ours - theirs) <= 1e-12
    return type(theirs) is int and ours == theirs


def keyed(value, key):
    """A list of the report as a map: by id, or the matrix by its three names."""
    if type(value) is not list:
        return value
    if key == "matrix":
        return {" ".join((c["outcome"], c["observed"], c["persisted"])): c["count"]
                for c in value}
    if key in ("agents", "scenarios"):
        return {item["id"]: item for item in value}
    return value


def differences(ours, theirs, path=()):
    key = path[-1] if path else None
    ours, theirs = keyed(ours, key), keyed(theirs, key)
    if type(ours) is dict and type(theirs) is dict:
        default = 0 if key in COUNTERS or key == "matrix" else ABSENT
        names = list(ours)
        if default == 0 or key in ("agents", "scenarios"):
            names += [name for name in theirs if name not in ours]
        for name in names:
            yield from differences(ours.get(name, default), theirs.get(name, default),
                                   (*path, str(name)))
    elif type(ours) is list or type(ours) is dict or ABSENT in (ours, theirs):
        if ours != theirs:
            yield path, ours, theirs
    elif not close(ours, theirs, path):
        yield path, ours, theirs


def shown(value):
    if value is ABSENT:
        return "(absent)"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "..."


def main():
    args = sys.argv[1:]
    answer = None
    if "--answer" in args:
        at = args.index("--answer")
        with open(args[at + 1], encoding="utf-8") as f:
            answer = json.load(f)
        del args[at:at + 2]
    if len(args) != 2:
        sys.exit("usage: compare.py DIR REPORT.json [--answer ANSWER.json]")
    with open(args[1], encoding="utf-8") as f:
        theirs = json.load(f)
    ours = answer or report(load(args[0]))
    if "lists" not in theirs:
        ours.pop("lists", None)
    found = list(differences(ours, theirs))
    for path, a, b in found:
        print(f"{'.'.join(path)}: reference {shown(a)}, report {shown(b)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
