"""Write ledger lines: serialising, damage, files (used by make_run.py).

Every kind of damage of ledger.md section 1 is made here, on finished lines.
"""
import gzip
import json
import os
import subprocess

OVERLONG = (16 << 20) + 100


class Style:
    """How the producers of one run write JSON."""

    def __init__(self, mix):
        r = mix.r
        self.separators = r.choice([(",", ":"), (", ", ": ")])
        self.shuffle = mix.on(0.15)
        self.crlf = mix.on(0.1)
        self.extra = mix.on(0.2)

    def line(self, r, o):
        if self.extra and r.random() < 0.1:
            o = {**o, "x_note": r.choice(["plain", {"deep": [1, {"er": None}]}, 1.5e3, True])}
        if self.shuffle:
            items = list(o.items())
            r.shuffle(items)
            o = dict(items)
        return json.dumps(o, separators=self.separators, ensure_ascii=False).encode()


# ------------------------------------------------------------ damaged lines
# Each takes the random source and a list of whole lines and returns lines.

def torn(r, line):
    return [line[:r.randrange(1, len(line))]]


def torn_then_whole(r, line, following):
    return [line[:r.randrange(1, len(line))] + following]


def glued(r, line, following):
    return [line + r.choice([b"", b" "]) + following]


def nul_around(r, line):
    run = b"\0" * r.randrange(1, 40)
    return [r.choice([run + line, line + run])]


def nul_inside(r, line):
    at = r.randrange(2, len(line) - 1)
    return [line[:at] + b"\0" * r.randrange(1, 9) + line[at:]]


def with_key(line, key):
    """Append a key to an object."""
    return line[:-1] + b"," + key + b"}"


def bad_utf8(r, line):
    return [with_key(line, b'"x_text":"a' + r.choice([b"\xff", b"\xc3("]) + b'b"')]


def lone_surrogate(r, line):
    return [with_key(line, r.choice([b'"x_text":"\\ud83d"', b'"x_text":"\\udc00 tail"']))]


def not_measured(r, line):
    return [with_key(line, b'"x_value":' + r.choice([b"NaN", b"Infinity", b"-Infinity"]))]


def key_lost(r, line):
    o = json.loads(line)
    need = [k for k in o if k in ("t", "topic", "seq", "to", "from", "who", "ev", "why")
            and (k != "seq" or o["ev"] in ("data", "row", "hist"))
            and (k, o["ev"]) not in (("topic", "dead"), ("from", "data"), ("why", "conn"),
                                     ("why", "end"))]
    if need:
        del o[r.choice(need)]
    return [json.dumps(o).encode()]


def wrong_type(r, line):
    o = json.loads(line)
    if type(o.get("t")) is int:
        o["t"] = r.choice([o["t"] / 1e9, str(o["t"]), float(o["t"]), None, True])
    return [json.dumps(o).encode()]


def two_values(r, line):
    o = json.loads(line)
    key = r.choice([k for k in ("t", "mid", "ev") if k in o])
    other = o[key] + 1 if type(o[key]) is int else o[key] + "x"
    return [with_key(line, f'"{key}":{json.dumps(other)}'.encode())]


def equal_repeat(r, line):
    o = json.loads(line)
    key = r.choice([k for k in ("t", "mid", "ev") if k in o])
    return [with_key(line, f'"{key}":{json.dumps(o[key])}'.encode())]


def garbage(r, line):
    return [line, r.choice([b"garbage", b"[1,2,3]", b"42", b'"text"', b"{}", b"{'ev':'pub'}",
                            b'{"ev":7,"t":1}', b"}"])]


def blank(r, line):
    return [line, r.choice([b"", b"   ", b"\t"])]


def unknown_event(r, line):
    o = json.loads(line)
    return [line, json.dumps({"ev": r.choice(["novel", "pubx"]), "k": o.get("t", 0)}).encode()]


def overlong(r, line):
    return [line, b'{"ev":"health","t":1,"agent":"a","x":"' + b"x" * OVERLONG + b'"}']


SINGLE = (torn, nul_around, nul_inside, bad_utf8, lone_surrogate, not_measured, key_lost,
          wrong_type, two_values, equal_repeat, garbage, blank, unknown_event)
DOUBLE = (torn_then_whole, glued)


def damage(r, lines, kinds, hits):
    """Damage about `hits` lines with the given kinds."""
    marks = {}
    for _ in range(hits if len(lines) > 4 else 0):
        marks[r.randrange(len(lines) - 1)] = r.choice(kinds)
    done, i = [], 0
    while i < len(lines):
        kind = marks.get(i)
        if kind in DOUBLE:
            done += kind(r, lines[i], lines[i + 1])
            i += 1
        elif kind:
            done += kind(r, lines[i])
        else:
            done.append(lines[i])
        i += 1
    return done


# -------------------------------------------------------------------- files

def put(root, path, data):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as f:
        f.write(data)


def packed_gz(r, data):
    """One or several members, perhaps zero padding after them."""
    cuts = sorted(r.randrange(len(data) + 1) for _ in range(r.choice([0, 0, 1, 3])))
    parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)])]
    packed = b"".join(gzip.compress(part, 6, mtime=0) for part in parts)
    return packed + b"\0" * r.choice([0, 0, 512])


def write_lines(mix, root, path, lines, style):
    """Write one file of lines, in one of the forms that are fine."""
    r = mix.r
    end = b"\r\n" if style.crlf else b"\n"
    data = end.join(lines) + (b"" if mix.on(0.1) else end)
    if mix.on(0.05):
        data = b"\xef\xbb\xbf" + data
    form = r.random() if mix.packing else 1
    if form < 0.3:
        packed = packed_gz(r, data)
        if mix.on(0.04) and path.startswith("agents/"):
            packed = gzip.compress(data, 6, mtime=0)
            packed = packed[:r.randrange(len(packed) // 2, len(packed) - 9)]
        put(root, path + ".gz", packed)
    elif form < 0.5:
        done = subprocess.run(["zstd", "-qc", "-3"], input=data, stdout=subprocess.PIPE,
                              check=True)
        put(root, path + ".zst", done.stdout)
    else:
        put(root, path, data)
