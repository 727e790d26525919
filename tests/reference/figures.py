"""The stable figures over a set of messages (truth-model.md sections 2 to 6,
cli-and-report.md)."""
from collections import Counter, defaultdict

CLASSES = ("contradiction", "rejected", "unsent", "integrity", "durable_lost",
           "dead_lettered", "unverified", "lost_realtime_persisted", "late_persisted",
           "ok", "unknown_observed_persisted", "unknown_persisted", "unknown_observed",
           "unknown_absent", "unknown_unverified")
PERSISTED = ("exact", "mismatch", "duplicate", "dead_letter", "absent", "conflict",
             "unchecked")
QUANTILES = (("p50", 500), ("p95", 950), ("p99", 990), ("p999", 999))


def figures(model, messages, planned, excluded, accounts):
    """One block of the report: total, a scenario or an agent."""
    outcomes = Counter(m.outcome for m in messages)
    acked = [m for m in messages if m.outcome == "acked"]
    attempted = outcomes["acked"] + outcomes["rejected"] + outcomes["unknown"]
    matrix = Counter((m.outcome, m.observed, m.persisted) for m in messages)
    order = arrival_order(messages)
    delivery = delivery_figures(model, messages, acked, order)
    persistence = persistence_figures(model, messages, acked)
    return {
        "planned": planned, "attempted": attempted,
        **{name: outcomes[name] for name in ("acked", "rejected", "unknown", "unsent")},
        "never_tried": None if planned is None else planned - attempted - outcomes["unsent"],
        "excluded": excluded,
        "accounts": accounts,
        "by_code": by_code(messages),
        "by_fail": by_fail(model, messages),
        "by_skip": named(Counter(e.o["why"] for m in messages for e in m.skips)),
        "classes": {c: sum(m.cls == c for m in messages) for c in CLASSES},
        "matrix": [dict(zip(("outcome", "observed", "persisted"), key), count=n)
                   for key, n in sorted(matrix.items())],
        "delivery": delivery,
        "persistence": persistence,
        "rates": rates(outcomes, attempted, delivery, persistence, order),
        "latency_ms": latencies(model, messages, acked),
        "anomalies": anomalies(messages),
    }


def named(counter):
    return dict(sorted(counter.items()))


def by_code(messages):
    """Messages that have a ctrl with that code."""
    return named(Counter(str(code) for m in messages
                         for code in {c.o["code"] for c in m.ctrls if "code" in c.o}))


def by_fail(model, messages):
    """Messages that have a fail with that reason, or an attempt with neither
    answer nor fail (section 10, Answers)."""
    cut_off = set(model.fleet.cut_off())
    reasons = Counter()
    for m in messages:
        why = {f.o["why"] for f in m.fails}
        for a in m.attempts:
            if not a.answers and not a.fails:
                why.add("cut_off" if a.event.agent in cut_off else "no_answer")
        reasons.update(why)
    return named(reasons)


def arrival_order(messages):
    """Section 2, out of order: per expected receiver and topic, first copies in
    arrival order. Returns (regressions, receivers that saw one, receivers with
    two or more first copies of one topic)."""
    lanes = defaultdict(list)
    for m in messages:
        for to, copy in m.first_copies.items():
            lanes[m.topic, to].append((copy.t, copy.pos, copy.o["seq"]))
    regressions, out, comparable = 0, set(), set()
    for (_, to), lane in lanes.items():
        lane.sort()
        highest = lane[0][2]
        for _, _, seq in lane:
            if seq < highest:
                regressions += 1
                out.add(to)
            highest = max(highest, seq)
        if len(lane) > 1:
            comparable.add(to)
    return regressions, len(out), len(comparable)


def delivery_figures(model, messages, acked, order):
    if model.run.topics is None:
        return None                 # expectations cannot be known
    unacked = [m for m in messages if m.outcome != "acked"]
    known = [m for m in acked if m.expected is not None]
    conns = model.fleet.has_conns
    copies_of = [len(m.first_copies) + m.duplicate for m in unacked]
    return {
        "expected": sum(len(m.expected) for m in known),
        "unique": sum(len(m.first_copies) - m.late for m in known),
        "late": sum(m.late for m in known),
        "unwitnessed": sum(m.unwitnessed for m in known),
        "missing": sum(len(m.missing) for m in known),
        "duplicate": sum(m.duplicate for m in known),
        "receiver_disconnected": sum(m.disconnected for m in known) if conns else None,
        "echo": sum(m.echo for m in messages),
        "unexpected_receiver": sum(m.unexpected for m in messages),
        "strangers": sum(m.strangers for m in messages),
        "not_ready": sum(m.not_ready for m in known) if conns else None,
        "unacked_messages_observed": sum(n > 0 for n in copies_of),
        "unacked_deliveries": sum(copies_of),
        "seq_regressions": order[0],
        "receivers_out_of_order": order[1],
        "missing_upper_bound": any(m.upper_bound for m in known),
    }


def persistence_figures(model, messages, acked):
    """Acked messages, but for unacked_persisted."""
    evidence = model.evidence
    both = evidence.has_history and evidence.has_database
    return {
        **{p: sum(m.persisted == p for m in acked) for p in PERSISTED},
        "unacked_persisted": sum(m.outcome != "acked" and (m.has_row or m.in_history)
                                 for m in messages),
        "history_found": sum(m.in_history for m in acked) if evidence.has_history else None,
        "witness_conflicts": sum(m.witness_conflict for m in acked) if both else None,
    }


def quotient(part, whole):
    return part / whole if whole else None


def rates(outcomes, attempted, delivery, persistence, order):
    """Section 5; null for 0/0 and for what was not evaluated (section 10)."""
    d = delivery or Counter()
    expected = d["expected"]
    witnessed = expected if d["unwitnessed"] < expected else 0
    acked = outcomes["acked"]
    lost = persistence["absent"] + persistence["dead_letter"]
    return {
        "accept_rate": quotient(acked, attempted),
        "reject_rate": quotient(outcomes["rejected"] + outcomes["unknown"], attempted),
        "arrival_rate": quotient(d["unique"], witnessed),
        "loss_rate": quotient(d["missing"], witnessed),
        "late_rate": quotient(d["late"], witnessed),
        "duplicate_rate": quotient(d["duplicate"], expected),
        "persistence_loss": quotient(lost, acked if persistence["unchecked"] < acked else 0),
        "out_of_order_rate": quotient(order[1], order[2]) if delivery else None,
    }


def latencies(model, messages, acked):
    """Section 6, from raw timestamps."""
    delivery, pairs = [], set()
    for m in acked:
        for copy in m.first_copies.values():
            delivery.append(copy.t - m.first_pub)
            pairs.add((m.home, copy.agent))
    comparable = all(model.fleet.clocks_agree(*pair) for pair in pairs)
    plans = {m: next((e.o["plan"] for e in m.lines if "plan" in e.o), None) for m in acked}
    firsts = [m.attempts[0].event for m in messages if m.attempts]
    ack = spread([m.acks[0].t - m.acked_by.t for m in acked], True)
    ack["ambiguous"] = sum(m.acks[0] in m.guessed for m in acked)
    return {
        "ack": ack,
        "ack_from_plan": spread([m.acks[0].t - plan for m, plan in plans.items()
                                 if plan is not None], True),
        "delivery": spread(delivery, comparable),
        "queue": spread([e.t - e.o["plan"] for e in firsts if "plan" in e.o], True),
    }


def spread(values, valid):
    """Exact order statistics, nearest rank, in milliseconds."""
    values.sort()
    n = len(values)
    figures_of = {"n": n, "valid": valid}
    for name, permille in QUANTILES:
        figures_of[name] = values[(n * permille + 999) // 1000 - 1] / 1e6 if n else None
    figures_of["max"] = values[-1] / 1e6 if n else None
    # rounded to whole nanoseconds, half up, from the exact sum
    figures_of["mean"] = (2 * sum(values) + n) // (2 * n) / 1e6 if n else None
    return figures_of


def anomalies(messages):
    """Messages, but for seq_conflict ((topic, seq) pairs), wrong_topic (copies)
    and clock_skew (first copies at expected receivers)."""
    carriers = defaultdict(set)
    mismatched = skewed = 0
    for m in messages:
        acks = {c.o["seq"] for c in m.acks}
        copies = {c.o["seq"] for c in m.copies if c.o["topic"] == m.topic}
        for seq in acks | copies:
            carriers[m.topic, seq].add(m.mid)
        mismatched += bool(acks and copies - acks)
        if m.first_pub is not None:
            skewed += sum(c.t < m.first_pub for c in m.first_copies.values())
    return {
        **{name: sum(getattr(m, name) for m in messages)
           for name in ("multi_seq", "mid_collision", "ack_without_seq", "late_ack")},
        "seq_conflict": sum(len(mids) > 1 for mids in carriers.values()),
        "ack_data_mismatch": mismatched,
        "wrong_topic": sum(m.wrong_topic for m in messages),
        "clock_skew": skewed,
    }
