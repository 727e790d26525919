"""Let the n-th allocation, read, write and SQLite step fail, over every command that matters, on a run with every kind of file.

Each case must end in the full answer or in a clean error: an exit status that fits the fault, one `impaudit: ...` line on standard
error, no output, the output file and the store as they were. In either case the next ingest and report are those of a clean store.

A call is tried where it is the first from its place in the code (its last return addresses, see inject.c). FAULT_EVERY=n tries
every n-th of those (default 6); FAULT_FULL=1 tries every single call but allocations, these from places told more finely, each
with every way to fail. TAP on standard output; FAULT_VERBOSE=1 prints every failed case in full.

usage: nth.py IMPAUDIT INJECT.so
"""
import collections
import concurrent.futures
import errno
import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import every_kind

SQLITE_NOMEM, SQLITE_IOERR, SQLITE_FULL = 7, 10, 13
EX_DATAERR, EX_NOINPUT, EX_OSERR, EX_CANTCREAT, EX_IOERR = 65, 66, 71, 73, 74
TIMEOUT_S = 60

# how a call of each kind fails, and the exit statuses that fit
Way = collections.namedtuple("Way", "do code exits")
WAYS = {
    "alloc": [Way("fail", 0, {EX_OSERR}), Way("forever", 0, {EX_OSERR})],
    "read": [Way("fail", errno.EIO, {EX_CANTCREAT, EX_IOERR}), Way("short", 0, set()),
             Way("forever", errno.EMFILE, {EX_CANTCREAT, EX_IOERR})],
    "write": [Way("fail", errno.EIO, {EX_CANTCREAT, EX_IOERR}), Way("short", 0, set()),
              Way("forever", errno.ENOSPC, {EX_CANTCREAT, EX_IOERR}), Way("kill", 0, {-9}), Way("torn", 0, {-9})],
    "step": [Way("fail", SQLITE_IOERR, {EX_IOERR}), Way("fail", SQLITE_FULL, {EX_IOERR}), Way("fail", SQLITE_NOMEM, {EX_OSERR})],
}
STORE, OUT = "store.db", "out"
THREAD_ROUNDS = 20
THREADED = "ingest with two threads"
TOOL_FILES = ("summary.json", "health.json", "raw.json.gz")
RULES_TESTED = ("log.runtime.panic", "accept", "agent.cut_off", "pod.cpu_throttled")    # a kind each, with few tests
Command = collections.namedtuple("Command", "name args before writes")
Result = collections.namedtuple("Result", "exit stdout stderr out")


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").digest()


def content(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


class Bench:
    """The run, the stores to begin with, and what untouched commands make of them."""

    def __init__(self, impaudit, inject, work):
        self.impaudit, self.inject, self.work = impaudit, inject, work
        self.run_dir = os.path.join(work, "run")
        self.lock = threading.Lock()
        self.serial = itertools.count()
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith(("FAULT_", "IMPAUDIT_"))}
        self.environ["MALLOC_PERTURB_"] = "165"     # what is read before it is written, or after it is freed, shows
        self.stores = {None: None}
        self.make_stores()

    def call(self, args, cwd, **fault):
        """Run impaudit with a fault; exit None: it had to be stopped."""
        env = self.environ | {k.upper(): str(v) for k, v in fault.items()}
        if fault:
            env["LD_PRELOAD"] = self.inject
        try:
            p = subprocess.run([self.impaudit, *args], cwd=cwd, env=env, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired as e:
            return Result(None, e.stdout or b"", e.stderr or b"", None)
        return Result(p.returncode, p.stdout, p.stderr, content(os.path.join(cwd, OUT)))

    def folder(self):
        path = os.path.join(self.work, f"case{next(self.serial)}")
        os.mkdir(path)
        return path

    def prepared(self, store):
        """A folder with a copy of one of the stores and an output file of old."""
        path = self.folder()
        if self.stores[store] is not None:
            shutil.copyfile(self.stores[store], os.path.join(path, STORE))
        with open(os.path.join(path, OUT), "wb") as f:
            f.write(b"old\n")
        return path

    def untouched(self, args, cwd):
        r = self.call(args, cwd)
        if r.exit not in (0, 1):
            raise RuntimeError(f"{args}: exit {r.exit}: {r.stderr}")
        return r

    def report(self, cwd):
        return self.call(["report", "-q", "--store", STORE], cwd)

    def keep_store(self, name, cwd):
        self.stores[name] = os.path.join(self.work, name + ".db")
        shutil.copyfile(os.path.join(cwd, STORE), self.stores[name])

    def make_stores(self):
        """`fresh`: the run as it is. `old`: as it was when there was a file more. `again`: `old`, ingested again."""
        ingest = ["ingest", self.run_dir, "--threads", "1", "--store", STORE]
        extra = os.path.join(self.run_dir, "agents", "b", "vanishes.jsonl")
        every_kind.write(self.run_dir)
        path = self.folder()
        self.untouched(ingest, path)
        self.keep_store("fresh", path)
        with open(extra, "w", encoding="ascii") as f:
            f.write('{"ev":"mark","t":1790000000000000009,"agent":"b","name":"x"}\n')
        self.untouched(ingest, path)
        self.keep_store("old", path)
        os.unlink(extra)
        self.untouched(ingest, path)
        self.keep_store("again", path)
        self.ingest = ingest


    def thread_differences(self, rounds):
        """How many ingests by two threads give another report than one thread does."""
        path, reports = self.folder(), []
        for threads in ["1"] + ["2"] * rounds:
            self.untouched([*self.ingest[:2], "--threads", threads, "--store", STORE], path)
            reports.append(self.call(["report", "-q", "--format", "json", "--store", STORE], path))
            os.unlink(os.path.join(path, STORE))
        return sum(report != reports[0] for report in reports)


class Trial:
    """One command under every fault."""

    def __init__(self, bench, command):
        self.bench, self.command = bench, command
        path = bench.prepared(command.before)
        self.clean = bench.untouched(command.args, path)
        self.after_report = bench.report(path)
        self.states = {digest(os.path.join(path, STORE)): "after"}
        if command.before is not None:
            self.states.setdefault(digest(bench.stores[command.before]), "before")
        shutil.rmtree(path)
        path = bench.prepared(command.before)
        self.before_report = bench.report(path)
        shutil.rmtree(path)

    def sites(self, depth):
        """[(kind, call, site)] in order of time."""
        path = self.bench.prepared(self.command.before)
        name = os.path.join(path, "sites")
        self.bench.call(self.command.args, path, fault_sites=name, fault_depth=depth)
        with open(name, encoding="ascii") as f:
            found = [line.split() for line in f]
        shutil.rmtree(path)
        return [(kind, int(call), site) for kind, call, site in found]

    def counts(self):
        path = self.bench.prepared(self.command.before)
        name = os.path.join(path, "counts")
        self.bench.call(self.command.args, path, fault_count=name)
        with open(name, encoding="ascii") as f:
            found = {kind: int(n) for kind, n in map(str.split, f)}
        shutil.rmtree(path)
        return found

    def store_state(self, path, may_be_hot):
        """'before', 'after', or what is wrong with the store."""
        bench, store = self.bench, os.path.join(path, STORE)
        hot = os.path.exists(store + "-journal")
        if hot and not may_be_hot:
            return "a journal was left"
        key = digest(store) if not hot and os.path.exists(store) else None
        with bench.lock:
            if key in self.states:
                return self.states[key]
        state = self.look_into_store(path)
        if key is not None:
            with bench.lock:
                self.states[key] = state
        return state

    def look_into_store(self, path):
        report = self.bench.report(path)
        if report == self.after_report._replace(out=report.out):
            state = "after"
        elif self.command.before is None and report.exit in (EX_DATAERR, EX_NOINPUT):
            state = "before"
        elif report == self.before_report._replace(out=report.out):
            state = "before"
        else:
            return f"the report is another: exit {report.exit}, {report.stderr!r}"
        if not self.command.writes:
            return state
        again = self.bench.call(self.bench.ingest, path)
        report = self.bench.report(path)
        if again.exit != 0 or report != self.after_report._replace(out=report.out):
            return f"the next ingest or report is another: exits {again.exit}, {report.exit}: {again.stderr!r} {report.stderr!r}"
        return state

    def judge(self, r, kind, way, path):
        """What is wrong with a result, or None."""
        lines = r.stderr.decode(errors="replace").splitlines()
        complaints = [line for line in lines if line.startswith("impaudit: ")]
        rest = [line for line in lines if not line.startswith(("impaudit: ", "hint: "))]
        killed = way.do in ("kill", "torn")
        complete = r.exit == self.clean.exit
        if r.exit is None:
            return "it hangs"
        if complete and r != self.clean:
            return None if b"unreadable" in r.stdout.lower() else "another answer"  # said of a file by explain and verify-evidence
        if not complete and r.exit not in way.exits:
            return f"exit {r.exit}"
        if not complete and not killed and (len(complaints) != 1 or rest):
            return "not one message"
        if not complete and (r.stdout or r.out not in (b"old\n", self.clean.out if killed else None)):
            return "half an answer"
        left = set(os.listdir(path)) - {STORE, OUT, STORE + "-journal"}
        if left and not killed and way.do != "forever":
            return f"left behind: {left}"
        state = self.store_state(path, kind == "write" or way.do == "forever")  # then the next one rolls it back
        if state not in ("before", "after"):
            return state
        if complete and state != "after":
            return "it says done, and the store is as before"
        return None

    def case(self, kind, call, way):
        path = self.bench.prepared(self.command.before)
        r = self.bench.call(self.command.args, path, fault_kind=kind, fault_at=call, fault_do=way.do, fault_code=way.code)
        wrong = self.judge(r, kind, way, path)
        shutil.rmtree(path)
        return r.exit == self.clean.exit, wrong, f"{kind} {call} {way.do} {way.code}: {wrong}: exit {r.exit} {r.stderr[-400:]!r}"


def plan_cases(trial, seen, full, every):
    """{kind: [(kind, call, way)]}, without places that an earlier command had."""
    cases, turn = collections.defaultdict(list), itertools.count()
    for kind, call, site in trial.sites(8 if full else 4):
        if (kind, site) in seen or (full and kind != "alloc"):
            continue
        seen.add((kind, site))
        n = next(turn)
        if full or kind == "write":     # there are few
            cases[kind] += [(kind, call, way) for way in WAYS[kind]]
        elif n % every == 0:
            cases[kind].append((kind, call, WAYS[kind][n // every % len(WAYS[kind])]))
    if full:
        for kind, n in trial.counts().items():
            if kind in ("read", "write", "step"):
                cases[kind] = [(kind, call, way) for call in range(1, n + 1) for way in WAYS[kind]]
    return cases


def commands(bench):
    return [
        Command("ingest into a new store", bench.ingest, None, True),
        Command("ingest again", bench.ingest, "old", True),
        Command("ingest of what is known", bench.ingest, "again", True),
        Command("report --format md", ["report", "-q", "--store", STORE, "-o", OUT], "again", False),
        Command("report --format json", ["report", "-q", "--format", "json", "--store", STORE, "-o", OUT], "again", False),
        Command("gate", ["gate", "--store", STORE], "again", False),
        Command("explain", ["explain", "lt-1", "--store", STORE], "again", False),
        Command("trust", ["trust", "--store", STORE], "again", False),
        Command("trust of files", ["trust", *(os.path.join(bench.run_dir, "loadgen", name) for name in TOOL_FILES)], "again", False),
        Command("verify-evidence", ["verify-evidence", "--store", STORE], "again", False),
        Command("rules list", ["rules", "list"], "again", False),
        Command("rules lint", ["rules", "lint"], "again", False),
        Command("rules test", ["rules", "test", *RULES_TESTED], "again", False),
        Command("rules explain", ["rules", "explain", "pod.gone"], "again", False),
        Command(THREADED, [*bench.ingest[:2], "--threads", "2", "--store", STORE], None, True),
    ]


def run_all(bench, full, every):
    wrong = bench.thread_differences(THREAD_ROUNDS)
    print(f"{'not ' if wrong else ''}ok 1 - two threads, {THREAD_ROUNDS} times: the report of one ({wrong} differ)", flush=True)
    seen, failed, number, cases_n = set(), bool(wrong), 1, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for command in commands(bench):
            trial = Trial(bench, command)
            if command.name == THREADED:    # where a call comes n-th is chance there: some will do
                seen, full, every = set(), False, 10
            for kind, cases in plan_cases(trial, seen, full, every).items():
                results = list(pool.map(lambda c, t=trial: t.case(*c), cases))
                wrong = [text for _, bad, text in results if bad]
                complete = sum(done for done, _, _ in results)
                number += 1
                cases_n += len(cases)
                failed += bool(wrong)
                print(f"{'not ' if wrong else ''}ok {number} - {command.name}: {kind}: {len(cases)} faults, "
                      f"{complete} full answers, {len(cases) - complete - len(wrong)} clean errors", flush=True)
                for text in wrong[:None if os.environ.get("FAULT_VERBOSE") else 5]:
                    print("#", text, flush=True)
    print(f"1..{number}")
    return failed, cases_n


def main():
    impaudit, inject = map(os.path.abspath, sys.argv[1:])
    full, every = os.environ.get("FAULT_FULL", "0") not in ("", "0"), int(os.environ.get("FAULT_EVERY", "6"))
    begin = time.monotonic()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and "TMPDIR" not in os.environ else None
    with tempfile.TemporaryDirectory(prefix="fault.", dir=memory) as work:
        probe = subprocess.run([impaudit, "--version"], env=os.environ | {"LD_PRELOAD": inject}, capture_output=True, check=False)
        if probe.returncode != 0 or probe.stderr:
            print("1..0 # SKIP this build takes no preloaded library")
            return 0
        failed, cases = run_all(Bench(impaudit, inject, work), full, every)
    print(f"# {cases} faults in {time.monotonic() - begin:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
