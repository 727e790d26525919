"""What the runners of cases share: a case is (title, files, expectation), its files are the run c001, c002, ..."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

IMPAUDIT = os.environ["IMPAUDIT"]
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None    # hundreds of commits: a disk takes its time over each


def directory():
    return tempfile.TemporaryDirectory(dir=IN_MEMORY)


def write(root, files):
    for path, content in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(content)


def impaudit(work, *arguments):
    return subprocess.run([IMPAUDIT, "-q", "--store", os.path.join(work, "store.db"), *arguments],
                          capture_output=True, check=False)


def said(done):
    """The lines of standard error."""
    return done.stderr.decode(errors="replace").splitlines()


def checked(cases, problems):
    """Yields (title, problems) of cases, all of them in one store; problems(work, run_id, expectation) lists those of one."""
    with directory() as work:
        names = [f"c{n:03}" for n in range(1, len(cases) + 1)]
        for name, (_, files, _) in zip(names, cases):
            write(os.path.join(work, name), files)
        done = impaudit(work, "ingest", *(os.path.join(work, name) for name in names))
        sys.stdout.write("".join(f"# {line}\n" for line in said(done)))
        if done.returncode:
            print(f"# ingest ended with {done.returncode}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from zip((title for title, _, _ in cases),
                           pool.map(lambda name, case: list(problems(work, name, case[2])), names, cases))


def chosen(cases):
    """Those whose title holds every word of the command line."""
    return [case for case in cases if all(word in case[0] for word in sys.argv[1:])]


def told(results):
    """TAP of (title, problems); the exit status."""
    failed = number = 0
    for number, (title, problems) in enumerate(results, 1):
        failed += bool(problems)
        print(f"{'not ' if problems else ''}ok {number} - {title}")
        sys.stdout.write("".join(f"#   {p}\n" for p in problems))
    print(f"1..{number}")
    return 1 if failed or not number else 0
