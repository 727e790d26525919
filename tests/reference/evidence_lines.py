"""History and database lines of a made run (used by make_run.py)."""
from lines import write_lines

S, MS = 1_000_000_000, 1_000_000


def write_database(world, root):
    """Rows in one or several tables and checks, dead letters."""
    mix = world.mix
    if mix.on(0.12):
        return
    lines = rows(world)
    lines = world.damaged(lines, 0.12)
    write_lines(mix, root, "db/rows.jsonl", lines, world.style)
    letters = dead_letters(world)
    if letters:
        write_lines(mix, root, "db/dead.jsonl", world.damaged(letters, 0.05), world.style)


def rows(world):
    r, mix = world.r, world.mix
    split = mix.on(0.3)                 # a table for each kind of topic
    kinds = mix.on(0.3) or split        # its rows lines say for which kind
    archive = mix.on(0.1)               # a second table that keeps nothing
    checks = r.choice([2, 3]) if mix.on(0.25) else 1
    lines = []
    number = 0
    for check in range(1, checks + 1):
        name = {"check": check} if checks > 1 or mix.on(0.2) else {}
        seen = {}
        for m in world.messages:
            kind = world.topics[m["topic"]][0]
            table = f"messages_{kind}" if split else "messages"
            if check < checks and r.random() < 0.1:
                continue                # the backlog had not drained yet
            for k in range(m["rows"]):
                number += 1
                row = {"ev": "row", "table": table, "mid": m["mid"], "topic": m["topic"],
                       "seq": m["seq"] if m["seq"] is not None else 1,
                       "id": str(m["at"] % 10**9) + f"-{k}", **name}
                if world.trouble and r.random() < 0.01:
                    row["seq"] += 1000
                if world.trouble and r.random() < 0.005:
                    row["topic"] = row["topic"] + "x"
                seen.setdefault((table, kind), []).append(row)
        if mix.on(0.1):
            seen.setdefault(("messages", "p2p"), []).append(
                {"ev": "row", "table": "messages", "mid": "lt-earlier-9", "topic": "p2p-0",
                 "seq": 3, "id": "77", **name})
        for own in seen.values():
            lines += [world.style.line(r, o) for o in own]
            if mix.on(0.1):             # the same row read twice
                lines.append(world.style.line(r, r.choice(own)))
        lines += endings(world, seen, kinds, archive, name)
    return lines


def endings(world, seen, kinds, archive, name):
    """The rows lines of one check."""
    r, mix = world.r, world.mix
    counts = {}
    for (table, kind), own in seen.items():
        key = table, kind if kinds else None
        counts.setdefault(key, set()).update(
            (o["table"], o["id"], o["mid"], o["topic"], o["seq"]) for o in own)
    if not counts:
        counts = {("messages", None): set()}
    if archive:
        counts["archive", None] = set()
    lines = []
    for (table, kind), distinct in counts.items():
        o = {"ev": "rows", "t": world.last_end + 20 * S, "table": table,
             "complete": not mix.on(0.12), "count": len(distinct),
             **({"kind": kind} if kind else {}), **name}
        if mix.on(0.08):
            o["t"] -= 300 * S           # asked too early
        if mix.on(0.08):
            o["count"] += 1
        if mix.on(0.08):                # the last line of a look-up counts
            lines.append(world.style.line(r, {**o, "complete": not o["complete"],
                                              "t": o["t"] - S}))
        lines.append(world.style.line(r, o))
    return lines


def dead_letters(world):
    r = world.r
    lines, letters = [], set()
    for m in world.messages:
        if m["dead"] is None:
            continue
        states = {"dead": [r.choice(["dead", None])], "replayed": ["replayed"],
                  "both": r.choice([["dead", "replayed"], ["replayed", "dead"]])}[m["dead"]]
        for k, state in enumerate(states):
            letters.add(m["mid"])
            lines.append(world.style.line(r, {
                "ev": "dead", "t": m["at"] + (2 + k) * S, "mid": m["mid"],
                "error": "Out of range value for column 'seq'", "code": 1264,
                **({"state": state} if state else {})}))
    if lines and world.mix.on(0.3):
        lines.append(world.style.line(r, {"ev": "dead", "t": world.last_end, "error": "x",
                                          "mid": world.prefix + "lost-2"}))
    if lines:
        lines.append(world.style.line(r, {
            "ev": "deads", "t": world.last_end + 21 * S, "complete": True,
            "count": len(letters)}))
    return lines


def write_history(world, root):
    """Read-back by some accounts: complete, limited, timed out, contradicting."""
    r, mix = world.r, world.mix
    if r.random() < 0.5:
        return
    lines = []
    by = r.choice(world.accounts)
    asked = world.last_end + 10 * S
    for topic in world.topics:
        own = [m for m in world.messages
               if m["topic"] == topic and m["seq"] is not None and m["rows"]]
        highest = world.seqs.get(topic, 0)
        status = r.choice(["complete", "complete", "complete", "limited", "timeout",
                           "disconnected"])
        lo, hi = 1, max(1, highest)
        if r.random() < 0.3:
            hi = r.randrange(1, hi + 1)
        found = 0
        for m in own:
            if not lo <= m["seq"] <= hi or (status != "complete" and r.random() < 0.5):
                continue
            if world.trouble and r.random() < 0.03:
                continue                # stored, and history does not have it
            o = {"ev": "hist", "t": asked + r.randrange(S), "topic": topic, "seq": m["seq"],
                 "mid": m["mid"], "by": by}
            if world.trouble and r.random() < 0.01:
                o["seq"] += 300
            for reader in [by] * r.choice([1, 1, 2]) + r.sample(world.accounts, 1):
                lines.append(world.style.line(r, {**o, "by": reader}))
            found += 1
        for m in world.messages:        # and what the database does not have
            if m["topic"] == topic and not m["rows"] and r.random() < 0.25:
                lines.append(world.style.line(r, {
                    "ev": "hist", "t": asked, "topic": topic, "by": by, "mid": m["mid"],
                    "seq": m["seq"] if m["seq"] is not None else 1}))
        t = asked + 2 * S if r.random() < 0.9 else world.last_end - 200 * S
        lines.append(world.style.line(r, {"ev": "histq", "t": t, "topic": topic, "by": by,
                                          "lo": lo, "hi": hi, "status": status,
                                          "found": found}))
    if mix.on(0.3):
        lines.append(world.style.line(r, {"ev": "hist", "t": asked, "topic": "p2p-0", "seq": 2,
                                          "mid": "lt-earlier-5", "by": by}))
    write_lines(mix, root, "history/read.jsonl", world.damaged(lines, 0.1), world.style)
