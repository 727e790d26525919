#!/usr/bin/env python3
"""Audits every case and compares: TAP on standard output. `run.py WORD…` takes the cases whose name holds a word.

A case is (name, files, expectation): "acked=1 classes.ok=1 /ingest.rejected=0". A key is a path below `total`, or below the whole
report when it begins with /; elements of lists are found by `id`. A value is JSON, or else a bare word; ~ asks for an
element of a list. A key that is not there is `absent`.
"""
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import commands
import gates
import ledger
import truth

IMPAUDIT = os.environ["IMPAUDIT"]
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None    # hundreds of commits: a disk takes its time over each


def write(root, files):
    for path, content in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(content)


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


def impaudit(work, *arguments):
    return subprocess.run([IMPAUDIT, "-q", "--store", os.path.join(work, "store.db"), *arguments],
                          capture_output=True, check=False)


def audited(cases):
    """Yields (title, problems) of cases, all of them in one store."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as work:
        names = [f"c{n:03}" for n in range(1, len(cases) + 1)]
        for name, (_, files, _) in zip(names, cases):
            write(os.path.join(work, name), files)
        done = impaudit(work, "ingest", *(os.path.join(work, name) for name in names))
        sys.stdout.write("".join(f"# {line}\n" for line in done.stderr.decode(errors="replace").splitlines()))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            reports = list(pool.map(lambda name: impaudit(work, "report", "--run", name, "--format", "json"), names))
        for (title, _, expectation), done in zip(cases, reports):
            yield title, (list(differences(json.loads(done.stdout), expectation)) if done.returncode == 0
                          else done.stderr.decode(errors="replace").splitlines())


def commanded():
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as work:
        for title, problem in commands.check(IMPAUDIT, work, write):
            yield title, [problem] if problem else []


def main():
    cases = [c for c in ledger.CASES + truth.CASES + gates.CASES if all(word in c[0] for word in sys.argv[1:])]
    failed = number = 0
    for number, (title, problems) in enumerate(itertools.chain(audited(cases), [] if sys.argv[1:] else commanded()), 1):
        failed += bool(problems)
        print(f"{'not ' if problems else ''}ok {number} - {title}")
        sys.stdout.write("".join(f"#   {p}\n" for p in problems))
    print(f"1..{number}")
    return 1 if failed or not number else 0


if __name__ == "__main__":
    sys.exit(main())
