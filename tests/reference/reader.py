"""Read a results directory: files, lines, records, damage (ledger.md section 1).

The outcome is a Run: plain events in evidence order, the plan, and the counts
of what was read, repaired, rejected and re-sent. Nothing is judged here.
"""
import hashlib
import json
import os
import re
import subprocess
import zlib

LINE_LIMIT = 16 << 20
INT64 = 1 << 63
SURROGATE = re.compile("[\ud800-\udfff]")

# ledger.md section 1, the table of paths; every file may also be .gz or .zst.
LAYOUT = [(kind, re.compile(pattern + r"(\.gz|\.zst)?\Z")) for kind, pattern in (
    ("run", r"run\.json"),
    ("timeline", r"timeline\.json"),
    ("accounts", r"accounts\.jsonl"),
    ("topics", r"topics\.jsonl"),
    ("events", r"(?:agents/[^/]+|history|db(?:/[^/]+)?|kafka|collect)/[^/]+\.jsonl"),
    ("other", r"redis/[^/]+|metrics/[^/]+\.(?:prom|json)|kube/[^/]+\.json"
              r"|logs/[^/]+(?:/[^/]+)?\.log(?:\.\d+)?|loadgen/[^/]+|manifest\.sha256"),
)]
OWN_OUTPUT = re.compile(r"(report\.|impaudit\.db)[^/]*\Z")

# Sections 4 to 8: keys of each record. i integer, s text, b boolean,
# k text or integer (identifiers), l list, v anything. Upper-case is required.
SCHEMA = {ev: {name: tag for name, tag in (word.split(":") for word in keys.split())}
          for ev, keys in {
    "pub": "t:I mid:S topic:S from:S plan:i try:i id:k sc:s size:i",
    "ctrl": "t:I mid:s id:k code:i seq:i text:s",
    "fail": "t:I mid:S why:S id:k detail:s bytes:i",
    "skip": "t:I mid:S topic:S from:S why:S plan:i sc:s",
    "data": "t:I mid:S topic:S seq:I to:S from:s sent:i",
    "conn": "t:I who:S state:S pod:s code:i why:s peer:s",
    "clock": "t:I agent:S offset_ns:I rtt_ns:i source:s",
    "health": "t:I agent:S cpu_pct:v proc_cpu_pct:v rss_bytes:v fds:v fd_limit:v time_wait:v"
              " ports_used:v ports_total:v nr_periods:v nr_throttled:v throttled_us:v"
              " net_rx_bytes:v net_tx_bytes:v queue_depth:v",
    "mark": "t:I name:S agent:s",
    "calibration": "t:I agent:S ceiling_per_s:V sockets:I target:s version:s",
    "start": "t:I agent:S version:s plan_sha256:s events:i why:s",
    "end": "t:I agent:S version:s plan_sha256:s events:i why:s",
    "hist": "t:I topic:S seq:I mid:S by:S pod:s",
    "histq": "t:I topic:S by:S lo:I hi:I status:S found:i",
    "row": "table:S mid:S topic:S seq:I id:k created:v check:i",
    "rows": "t:I table:S complete:B count:I query:s kind:s check:i",
    "dead": "t:I mid:S error:S code:i topic:s kafka_topic:s state:s check:i",
    "deads": "t:I complete:B count:I check:i",
    "column": "table:S column:S type:S t:i nullable:v extra:v",
    "status": "t:I name:S value:V server:s",
    "innodb": "t:I server:s history_length:i deadlock_t:i deadlock:s",
    "lag": "t:I group:S topic:S partition:I committed:I end:I lag:I start:i members:i",
    "collected": "t:I system:S what:S status:S phase:s source:s query:s file:s why:s ns:i n:i tries:i",
    "server": "t:I system:S phase:s source:s address:s version:s id:k role:s",
    "(account)": "account:S user:s agent:s index:i pair:s",
    "(topic)": "topic:S kind:S members:L offline_members:i",
}.items()}

UNKNOWN_EVENT = {"t": "i"}

TYPES = {
    "i": lambda v: type(v) is int and -INT64 <= v < INT64,
    "s": lambda v: type(v) is str,
    "b": lambda v: type(v) is bool,
    "k": lambda v: type(v) in (int, str),
    "l": lambda v: type(v) is list and all(type(x) is str for x in v),
    "v": lambda v: v is not NOT_MEASURED,
}


class NotMeasured:
    """NaN or Infinity: the field is not measured."""


NOT_MEASURED = NotMeasured()


class Event:
    """One accepted record. `pos` orders records by path, line, place in it."""
    __slots__ = ("ev", "t", "pos", "agent", "file", "o")

    def __init__(self, ev, pos, agent, file, o):
        self.ev, self.pos, self.agent, self.file, self.o = ev, pos, agent, file, o
        self.t = o.get("t")

    @property
    def order(self):
        """Arrival order is by t, then by line (truth-model.md section 2)."""
        return self.t, self.pos


class File:
    def __init__(self, path, kind):
        self.path, self.kind = path, kind
        parts = path.split("/")
        self.folder = "/".join(parts[:-1])
        self.agent = parts[1] if parts[0] == "agents" else None
        self.rejected = 0
        self.cut = False        # a compressed file that ends too early
        self.trail = []         # t of each event that has one, None: rejected record


class Run:
    def __init__(self, directory):
        self.name = os.path.basename(os.path.abspath(directory))
        self.files, self.not_read = [], []
        self.plan, self.timeline = None, {}
        self.accounts = None    # account: record, None without accounts.jsonl
        self.topics = None      # topic: [(kind, members)], likewise
        self.events = {}        # ev: [Event]
        self.count = dict.fromkeys(("lines", "records", "events", "rejected",
                                    "repaired", "resent", "unknown_events"), 0)

    def of(self, *kinds):
        for kind in kinds:
            yield from self.events.get(kind, ())


# ---------------------------------------------------------------- whole files

def gunzip(raw):
    """All members; zero padding after them is accepted. Returns (data, cut)."""
    data, pos = b"", 0
    while pos < len(raw) and raw[pos:].strip(b"\0"):
        member = zlib.decompressobj(31)
        try:
            data += member.decompress(raw[pos:])
        except zlib.error:
            return data, True
        if not member.eof:
            return data, True
        pos = len(raw) - len(member.unused_data)
    return data, not raw


def content(path):
    """The bytes of a file, unpacked, and whether its compressed form is cut."""
    if path.endswith(".zst"):
        done = subprocess.run(["zstd", "-dcq", path], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.stdout, done.returncode != 0
    with open(path, "rb") as f:
        raw = f.read()
    return gunzip(raw) if path.endswith(".gz") else (raw, False)


def inventory(directory):
    """(path, kind) of every input file in path order; kind None: fits no row."""
    found = []
    for root, dirs, names in os.walk(directory):
        dirs.sort()
        for name in names:
            path = os.path.relpath(os.path.join(root, name), directory)
            if OWN_OUTPUT.match(path):
                continue
            kind = next((k for k, p in LAYOUT if p.match(path)), None)
            found.append((path, kind))
    return sorted(found)


# -------------------------------------------------------------------- records

class Scanner:
    """Finds the records of one line."""

    def __init__(self):
        self.repaired = False
        self.decoder = json.JSONDecoder(object_pairs_hook=tuple,
                                        parse_constant=lambda _: NOT_MEASURED)

    def scan(self, line):
        """Yield the key-value pairs of each record, None for a rejected one.

        After a torn start the search goes on at the next {"ev"; the torn start
        is one rejected record. NUL runs around a record are skipped.
        """
        self.repaired = False
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text = line.decode("utf-8", "replace")
            self.repaired = True
        pos, found = 0, 0
        while True:
            start = pos
            while pos < len(text) and text[pos] in " \t\r\0":
                pos += 1
            self.repaired |= "\0" in text[start:pos]
            if pos == len(text):
                return
            found += 1
            self.repaired |= found > 1          # glued, or after a torn start
            try:
                value, pos = self.decoder.raw_decode(text, pos)
            except (ValueError, RecursionError):
                value = None
                pos = text.find('{"ev"', pos + 1)
            yield value if type(value) is tuple else None
            if pos < 0:
                return


def clean_text(value):
    """Lone surrogates become U+FFFD."""
    return value if value.isascii() else SURROGATE.sub("\ufffd", value)


def record(pairs, form):
    """(object of used keys, repaired), object None when the record is rejected.

    A used key with two different values rejects the record, equal repeats are
    harmless; so does a required key that is absent or of the wrong type. An
    optional key of the wrong type counts as not given.
    """
    schema = SCHEMA.get(form, UNKNOWN_EVENT)
    o, repaired = {}, False
    for key, value in pairs:
        if type(value) is str:
            whole = clean_text(value)
            repaired |= whole != value
            value = whole
        repaired |= value is NOT_MEASURED
        if key not in schema:
            continue
        if key in o and (type(o[key]) is not type(value) or o[key] != value):
            return None, False
        o[key] = value
    for key, tag in schema.items():
        if key in o and TYPES[tag.lower()](o[key]):
            continue
        if tag.isupper():
            return None, False
        o.pop(key, None)
    if form == "ctrl" and "mid" not in o and "id" not in o:
        return None, False
    return o, repaired


def form_of(pairs, file):
    """Which schema a record follows; None when it names no event."""
    if file.kind in ("accounts", "topics"):
        return {"accounts": "(account)", "topics": "(topic)"}[file.kind]
    names = {value if type(value) is str else None for key, value in pairs if key == "ev"}
    return names.pop() if len(names) == 1 else None


class Reader:
    def __init__(self, run):
        self.run = run
        self.scanner = Scanner()
        self.lines_of = {}      # agent: its lines, to find re-sent ones
        self.contents = set()   # (folder, hash): equal files of one folder
        self.pos = 0

    def read(self, file, data):
        """Take in a file of lines."""
        if data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        digest = (file.folder, hashlib.sha256(data).digest())
        again = digest in self.contents
        self.contents.add(digest)
        lines = data.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        self.run.count["lines"] += len(lines)
        seen = self.lines_of.setdefault(file.agent, set()) if file.agent else None
        for line in lines:
            line = line[:-1] if line.endswith(b"\r") else line
            resent = again
            if seen is not None:
                resent |= line in seen
                seen.add(line)
            self.read_line(file, line, resent)

    def read_line(self, file, line, resent):
        count = self.run.count
        if len(line) > LINE_LIMIT:
            self.reject(file)
            return
        taken, repaired = 0, False
        for pairs in self.scanner.scan(line):
            self.pos += 1
            form = form_of(pairs, file) if pairs is not None else None
            o, mended = record(pairs, form) if form is not None else (None, False)
            if o is None:
                self.reject(file)
                continue
            taken += 1
            repaired |= mended
            count["records"] += 1
            count["events"] += 1
            count["resent"] += resent
            count["unknown_events"] += form not in SCHEMA
            if "t" in o:
                file.trail.append(o["t"])
            if not resent and form in SCHEMA:
                event = Event(form, self.pos, file.agent, file, o)
                self.run.events.setdefault(form, []).append(event)
        # Counted in lines: those that gave an event and were not clean.
        count["repaired"] += taken > 0 and (repaired or self.scanner.repaired)

    def reject(self, file):
        self.run.count["records"] += 1
        self.run.count["rejected"] += 1
        file.rejected += 1
        file.trail.append(None)


def document(data):
    """run.json and timeline.json: one object."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        return None
    return value if type(value) is dict else None


def load(directory):
    run = Run(directory)
    reader = Reader(run)
    for path, kind in inventory(directory):
        if kind is None:
            run.not_read.append(path)
            continue
        file = File(path, kind)
        run.files.append(file)
        if kind == "other":
            continue
        data, file.cut = content(os.path.join(directory, path))
        if kind == "run":
            run.plan = document(data)
        elif kind == "timeline":
            run.timeline = document(data) or {}
        else:
            reader.read(file, data)
            if kind == "accounts":
                run.accounts = {}
            elif kind == "topics":
                run.topics = {}
    for event in run.of("(account)"):
        run.accounts.setdefault(event.o["account"], event.o)
    for event in run.of("(topic)"):
        listed = (event.o["kind"], frozenset(event.o["members"]))
        run.topics.setdefault(event.o["topic"], set()).add(listed)
    return run
