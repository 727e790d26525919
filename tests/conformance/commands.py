"""What the commands say: exit codes, refusals, what is written where."""
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess

import gates
import truth

SERVER_RUNS = {"pass": "PASS: ", "fail": "accept: one refused", "invalid": "agent.missing", "open": "connections.balance: not known"}
RULES = """engine: '>=1.0'
rules:
- kind: profile
  id: mine
  title: {{en: mine}}
  extends: release
  {0}
"""
WRITES = ("DELETE FROM message", "UPDATE message SET mid = 'x'", "INSERT INTO run DEFAULT VALUES", "REPLACE INTO run DEFAULT VALUES", "DROP TABLE message",
          "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "ALTER TABLE run RENAME TO x", "ATTACH 'x.db' AS x", "DETACH main", "VACUUM", "VACUUM INTO 'x.db'",
          "PRAGMA user_version = 7", "PRAGMA journal_mode = DELETE", "REINDEX", "ANALYZE", "BEGIN", "SELECT load_extension('x')",
          "WITH x AS (SELECT 1) DELETE FROM message", "SELECT 1; DELETE FROM message", "SELECT nothing", "no statement", "")
UNESCAPED = re.compile(r"(?<!\\)\|")


def check(impaudit, work, write):
    """Yields (title, problem or None)."""
    def run(*arguments, **keys):
        keys = {"stdout": subprocess.PIPE, **keys}
        done = subprocess.run([impaudit, *arguments], cwd=work, stderr=subprocess.PIPE, check=False, timeout=60, **keys)
        return done.returncode, (done.stdout or b"").decode(errors="replace"), done.stderr.decode(errors="replace")

    def exits(want, *arguments, **keys):
        code, out, err = run(*arguments, **keys)
        wanted = want if isinstance(want, tuple) else (want,)
        return None if code in wanted else f"exit {code}, want {want}: {err.strip()}", out, err

    def status(title, want, *arguments, **keys):
        return title, exits(want, *arguments, **keys)[0]

    def holds(title, true, detail=""):
        return title, None if true else f"does not hold {detail}"

    def tree(name, files):
        write(os.path.join(work, name), files)

    cases = {title: files for title, files, _ in truth.CASES + gates.CASES}
    for name, title in SERVER_RUNS.items():
        tree(name, next(files for t, files in cases.items() if t.startswith(title)))
    tree("odd", cases["odd names of mids, topics and accounts"])

    for code, name in enumerate(("pass", "fail", "invalid", "open")):
        yield status(f"ingest of a run that is {name}", 0, "-q", "ingest", name)
        yield status(f"gate exits {code}", code, "gate")
        yield status("report exits 0 whatever the verdict", 0, "report", "--format", "json")
        yield status(f"audit exits {code}", code, "-q", "audit", name)
        yield holds("audit writes every format and its store into DIR", {"report.md", "report.json", "impaudit.db"} <= set(os.listdir(os.path.join(work, name))))
    report = json.loads(exits(0, "report", "--run", "fail", "--format", "json")[1])
    proof = next(g for g in report["gates"] if g["id"] == "accept")["evidence"][0]
    with open(os.path.join(work, "fail", proof["file"]), "rb") as f:
        content = f.read()
    yield holds("a failed gate leads back to file, SHA-256 and line", proof["sha256"] == hashlib.sha256(content).hexdigest()
                and json.loads(content.splitlines()[proof["line"] - 1])["mid"] == "x")
    yield status("--run chooses the run", 1, "gate", "--run", "fail")
    yield status("the one ingested last is judged, also one that was unchanged", 0, "-q", "ingest", "pass")
    yield status("so it is", 0, "gate")
    yield status("evidence that is as it was holds", 0, "verify-evidence")
    with open(os.path.join(work, "fail", proof["file"]), "ab") as f:
        f.write(b"\n")
    yield status("evidence that changed does not", 1, "verify-evidence", "--run", "fail")
    yield status("no sample of the load generator is not its trust", 3, "trust")

    before = open(os.path.join(work, "impaudit.db"), "rb").read()
    for statement in WRITES:
        yield status(f"sql refuses: {statement}", 64, "sql", statement)
    yield holds("and nothing was written", before == open(os.path.join(work, "impaudit.db"), "rb").read() and not os.path.exists(os.path.join(work, "x.db")))

    for command in ("diff", "ladder", "Gate", "--", "-x"):
        yield status(f"a command that is not built does not exist: {command}", 64, command)
    for arguments in (["gate", "pass"], ["report", "--format"], ["report", "--format", ""], ["report", "--format", "html"], ["report", "--format", "junit"], ["runs", "x"], ["forget"],
                      ["explain"], ["explain", "a", "b"], ["sql"], ["audit"], ["audit", "a", "b"],
                      ["ingest", "--memory", "x", "pass"], ["gate", "--run"], ["report", "--limit", "-1"], ["report", "--lang", "tlh"],
                      ["verify-evidence", "x"], ["rules"], ["rules", "x"], ["rules", "list", "x"], ["rules", "lint", "x"], ["rules", "explain"]):
        yield status(f"usage: {' '.join(arguments)}", 64, *arguments)
    for arguments in (["report"], ["gate"], ["explain", "m"], ["runs"], ["sql", "SELECT 1"], ["forget", "pass"], ["trust"], ["verify-evidence"]):
        yield status(f"no store: {arguments[0]}", 66, "--store", "none.db", *arguments)
        yield holds("and none was made", not os.path.exists(os.path.join(work, "none.db")))
    for arguments in (["report", "--run", "nope"], ["gate", "--run", "nope"], ["explain", "--run", "nope", "m"], ["explain", "nope"], ["forget", "nope"],
                      ["sql", "--run", "nope", "SELECT 1"], ["ingest", "nope"], ["audit", "nope"], ["gate", "--rules", "nope"],
                      ["trust", "nope"], ["trust", "--run", "nope"], ["verify-evidence", "--run", "nope"], ["rules", "test", "nope"],
                      ["rules", "explain", "nope"], ["rules", "--rules", "nope", "list"]):
        yield status(f"no such input: {' '.join(arguments)}", 66, *arguments)
    os.makedirs(os.path.join(work, "hollow", "agents", "a"))
    yield status("no ledger line at all: 65", 65, "ingest", "hollow")
    tree("lineless", {"topics.jsonl": b'{"topic":"p","kind":"p2p","members":[]}\n', "notes.txt": b"x"})
    yield status("no ledger line at all, though other files: 65", 65, "audit", "lineless")
    yield status("a file is no results directory", (65, 66), "ingest", "pass/run.json")
    tree("broken-plan", {**cases["acked: seq 1 is enough"], "run.json": b'{"format":1'})
    yield status("a broken run.json is unusable input", 65, "--store", "other.db", "ingest", "broken-plan")
    yield status("-o in no directory: 73", 73, "report", "-o", "nope/report.md")
    yield status("-o that is a directory: 73", 73, "report", "-o", "hollow")
    yield status("a store in no directory: 73", 73, "--store", "nope/x.db", "ingest", "pass")
    with open("/dev/full", "wb") as full:
        for arguments in (["report"], ["gate"], ["runs"], ["sql", "SELECT 1"], ["explain", "m"], ["trust"], ["verify-evidence"], ["rules", "list"]):
            yield status(f"standard output that takes nothing: {arguments[0]}", 74, *arguments, stdout=full)

    shutil.copytree(os.path.join(work, "pass"), os.path.join(work, "copy", "pass"))
    yield status("the same run id from another directory is refused", (64, 65, 73), "-q", "ingest", "copy/pass")
    yield status("but with --replace", 0, "-q", "ingest", "--replace", "copy/pass")
    os.rename(os.path.join(work, "copy/pass/db/rows.jsonl"), os.path.join(work, "rows.jsonl"))
    yield status("a file that vanished vanishes from the run", 3, "-q", "audit", "--store", "impaudit.db", "copy/pass")
    problem, out, _ = exits(0, "report")
    yield "and the report says so", problem or (None if "db/rows.jsonl" in out else "no db/rows.jsonl in it")

    shutil.copy(os.path.join(work, "impaudit.db"), os.path.join(work, "newer.db"))
    with sqlite3.connect(os.path.join(work, "newer.db")) as store:
        store.execute("PRAGMA user_version = 999")
    store.close()
    for arguments in (["gate"], ["-q", "ingest", "pass"]):
        problem, _, err = exits((65, 70), "--store", "newer.db", *arguments)
        yield "a store from a newer version is refused by name", problem or (None if "newer.db" in err and "newer" in err else err)

    tree("dead", cases["loss.durable: one dead letter"])
    tree("unwatched", cases["duplicates of something expected that is all unwitnessed"])
    for name, row, title in (("dead", "| total | 2 | 1 | 0 | 1 | 50 % |", "a dead letter is lost, as persistence_loss has it"),
                             ("unwatched", "| total | 1 | 0 | 1 | 0 | – | – |", "what nobody watched has no share")):
        run("-q", "ingest", name)
        problem, out, _ = exits(0, "report")
        yield f"report: {title}", problem or (None if row in out else f"no {row}")
    yield status("odd names are ingested", 0, "-q", "ingest", "odd")
    first, second = exits(0, "report"), exits(0, "report")
    yield "two reports have the same bytes", first[0] or (None if first[1] == second[1] else "they differ")
    yield holds("no control character of a name reaches the report", not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", first[1]))
    yield holds("no markup of a name reaches the report", "<script" not in first[1])
    table = [re.sub(r"`[^`]*`", "", line) for line in first[1].splitlines()]
    widths = [len(UNESCAPED.findall(line)) if line.startswith("|") else 0 for line in table]
    yield holds("every row of a table has as many cells as its head", all(a == b for a, b in zip(widths, widths[1:]) if a and b))
    for name in truth.ODD:
        code, out, err = run("explain", "--", name)
        yield f"explain {name[:12]!r}", None if code == 0 and "answer 202" in out and "\x1b" not in out and "\u202e" not in out else f"exit {code}: {err}"

    for words, want, title in (("waivers: [{gate: accept, until: 2999-12-31, reason: known}]", 0, "a waiver sets a gate aside"),
                               ("waivers: [{gate: accept, until: 2001-01-01, reason: known}]", 65, "a waiver past its date is an error"),
                               ("waivers: [{gate: nope, until: 2999-12-31, reason: known}]", 65, "a waiver of no gate is an error"),
                               ("waivers: [{gate: accept, reason: known}]", 65, "a waiver wants a date"),
                               ("waivers: [{gate: accept, until: 2999-12-31}]", 65, "a waiver wants a reason"),
                               ("thresholds: {accept: '>= 66 %'}", 0, "a threshold of one's own"),
                               ("thresholds: {accept: '>= 67 %'}", 1, "a threshold of one's own that fails"),
                               ("thresholds: {accept: 'about 66 %'}", 65, "a broken threshold is an error"),
                               ("thresholds: {nope: '= 0'}", 65, "a threshold of no gate is an error")):
        tree("rules", {"mine.yaml": RULES.format(words).encode()})
        arguments = ("--run", "fail", "--rules", "rules", "--profile", "mine")
        problem, out, err = exits(want, "gate", *arguments)
        yield title, problem or ("no verdict may be printed" if want == 65 and out else "no file:line:column" if want == 65 and not re.search(r"mine\.yaml:\d+:\d+", err) else None)
        if want == 0:
            yield "the report shows it", None if any(w in exits(0, "report", *arguments)[1] for w in ("known", "66 %")) else "it does not"
    yield status("a profile that does not exist", 64, "gate", "--profile", "nope")
    tree("own", {**cases["PASS: every applicable gate passed; a gate whose system is not listed is not_applicable"]})
    plan = os.path.join(work, "own", "run.json")
    text = open(plan, encoding="utf-8").read().replace('"systems"', '"gates": "nope", "systems"')
    open(plan, "w", encoding="utf-8").write(text)
    yield status("run.json may ask for any profile", 0, "-q", "ingest", "own")
    yield status("one that does not exist gives no verdict", (64, 65), "gate")
    yield status("--profile wins", 0, "gate", "--profile", "release")
    yield status("forget removes a run", 0, "forget", "own")
    yield status("which is no longer there", 66, "gate", "--run", "own")
