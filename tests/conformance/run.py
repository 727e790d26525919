#!/usr/bin/env python3
"""Audits every case and compares: TAP on standard output. `run.py WORD…` takes the cases whose name holds a word.

A case is (name, files, expectation): "acked=1 classes.ok=1 /ingest.rejected=0". A key is a path below `total`, or below the whole
report when it begins with /; elements of lists are found by `id`. A value is JSON, or else a bare word; ~ asks for an
element of a list. A key that is not there is `absent`.
"""
import itertools
import json
import re
import sys

import cases
import commands
import gates
import ledger
import truth


def look_up(report, path):
    here = report if path.startswith("/") else report["total"]
    rest = path.lstrip("/")
    while rest:
        if isinstance(here, list):
            found = [e for e in here if rest == e["id"] or rest.startswith(e["id"] + ".")]
            if not found:
                return "absent"
            here = max(found, key=lambda e: len(e["id"]))
            rest = rest[len(here["id"]) + 1:]
            continue
        key, _, rest = rest.partition(".")
        if not isinstance(here, dict) or key not in here:
            return "absent"
        here = here[key]
    return here


def value(word):
    try:
        return json.loads(word)
    except ValueError:
        return word


def differences(report, expectation):
    for key, sign, word in (re.fullmatch("([^=~]+)([=~])(.*)", w).groups() for w in expectation.split()):
        got, want = look_up(report, key), value(word)
        if want not in got if sign == "~" else (got, type(got) is bool) != (want, type(want) is bool):
            yield f"{key}: got {json.dumps(got)}, want {sign} {word}"
    counts = report["ingest"]
    if counts["records"] != counts["events"] + counts["rejected"]:
        yield "records are not events + rejected"
    total = report["total"]
    if total["planned"] is not None and sum(total["classes"].values()) + total["never_tried"] != total["planned"]:
        yield "the classes and never_tried do not add up to the plan"


def problems(work, name, expectation):
    done = cases.impaudit(work, "report", "--run", name, "--format", "json")
    return cases.said(done) if done.returncode else differences(json.loads(done.stdout), expectation)


def commanded():
    with cases.directory() as work:
        for title, problem in commands.check(cases.IMPAUDIT, work, cases.write):
            yield title, [problem] if problem else []


def main():
    audited = cases.checked(cases.chosen(ledger.CASES + truth.CASES + gates.CASES), problems)
    return cases.told(itertools.chain(audited, [] if sys.argv[1:] else commanded()))


if __name__ == "__main__":
    sys.exit(main())
