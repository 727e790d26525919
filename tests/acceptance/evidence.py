"""Figures that the store holds besides the report: logs, counters, cluster state, ledger lines."""

from datetime import datetime, timezone

from figures import at


def asked(sql):
    """… is the value of this query."""
    return lambda report, want: [(sql, report.ask(sql), want)]


def asked_list(sql):
    """… are the values of this query, in any order."""
    def check(report, want):
        return [(sql, sorted(row[0] for row in report.rows(sql)), sorted(want))]
    return check


def instant(ns):
    """Whole seconds of UTC."""
    return ns and datetime.fromtimestamp(ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix_s(text):
    return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(
        tzinfo=timezone.utc).timestamp())


def window(report, want):
    return [(name, instant(report.ask(f"SELECT t FROM mark WHERE name = '{name}'")), t)
            for name, t in zip(("load_start", "load_end"), want)]


SIGNATURES = {
    "cluster: load exceeded": ["log.cluster.load_exceeded"],
    "cluster Route: server busy": ["log.cluster.server_busy"],
    "not connected": ["log.cluster.not_connected"],
    "panic": ["log.runtime.panic", "log.runtime.http_panic"],
    "s.publish: sub.broadcast channel full": ["log.topic.publish_refused"],
    "hub: topic's broadcast queue is full": ["log.topic.hub_full"],
    "cluster: proxy channel full": ["log.cluster.proxy_channel_full"],
}


def hits(report, name, where="1"):
    """Lines of this kind."""
    ids = ", ".join(f"'{id_}'" for id_ in SIGNATURES[name])
    return report.ask(
        f"SELECT coalesce(sum(n), 0) FROM log_hit WHERE {where} AND signature IN ({ids})")


def log_figures(report, want):
    for pod, figures in want.items():
        for name, value in figures.items():
            where = f"{pod}: {name}"
            if name == "covers":
                sql = f"SELECT min(covers_load) FROM source WHERE kind = 'log' AND pod = '{pod}'"
                yield where, report.ask(sql), 1
            elif name == "first_line_utc":
                sql = f"SELECT min(first_t) FROM source WHERE kind = 'log' AND pod = '{pod}'"
                yield where, instant(report.ask(sql)), value
            elif isinstance(value, dict):
                yield where, hits(report, name, f"pod = '{pod}'"), sum(value.values())
                for span, count in value.items():
                    first, last = span_of(span)
                    between = f"pod = '{pod}' AND second BETWEEN {first} AND {last}"
                    yield f"{where} {span}", hits(report, name, between), count
            else:
                yield where, hits(report, name, f"pod = '{pod}'"), value


def span_of(text):
    """'2026-09-29T03:53:00Z..03:53:02Z', or one second with words behind it."""
    first, _, rest = text.partition("..")
    first = first.split(" ")[0]
    return unix_s(first), unix_s(first[:11] + rest if rest else first)


def lower_bound(report, want):
    """All such lines that are still there; and the report says that there were more."""
    overload = [c for c in report.doc["causes"] if c["id"] == "cluster.forward_overload"]
    return [(name, hits(report, name), count) for name, count in want.items()] + [
        ("cluster.forward_overload: lower_bound", [c["lower_bound"] for c in overload], [True])]


def chosen(series):
    """(name, label, …): the condition on metric_series AS s."""
    name, *labels = series
    return f"s.name = '{name}'" + "".join(f" AND s.labels LIKE '%{label}%'" for label in labels)


def gain(report, series, first="load_start", last="drain_end"):
    """What these series gained on all pods between two marks."""
    return report.ask(f"""
        SELECT sum(b.value - a.value) FROM metric_series AS s
        JOIN metric_sample AS a ON a.series_no = s.series_no
         AND a.t = (SELECT t FROM mark WHERE name = '{first}')
        JOIN metric_sample AS b ON b.series_no = s.series_no
         AND b.t = (SELECT t FROM mark WHERE name = '{last}')
        WHERE {chosen(series)}""")


def gained(*series):
    return lambda report, want: [(" ".join(series), rounded(gain(report, series)), want)]


def rounded(value, digits=0):
    return value if value is None else round(value, digits)


def quotient(above, below, scale=1, digits=0):
    """… is the quotient of what two series gained."""
    def check(report, want):
        one, other = gain(report, above), gain(report, below)
        have = round(one / other * scale, digits) if one and other else None
        return [(f"{above} / {below}", have, want)]
    return check


FANOUT = "realtime_fanout_events_total"
STAGE = "im_message_publish_stage_duration_seconds"
PUBLISHED_USERS = (FANOUT, 'stage="publish"', 'target_type="user"')
SAVED = (STAGE + "_count", 'kind="group"', 'stage="save"')
QUERIES = ("db_query_duration_seconds_count", 'op="exec"', 'status="ok"')
QUERY_TIME = ("db_query_duration_seconds_sum", 'op="exec"', 'status="ok"')
SERVER_FULL = ("im_internal_queue_enqueue_total", 'queue="topic_server"', 'result="full"')
COUNTERS = {
    "realtime_fanout_events_total publish user": PUBLISHED_USERS,
    "receive user": (FANOUT, 'stage="receive"', 'target_type="user"'),
    "delivered": (FANOUT, 'status="delivered"'),
    "no_local_session": (FANOUT, 'status="no_local_session"'),
    "im_cluster_route_total": ("im_cluster_route_total",),
}


def counters(report, want):
    return [result for name, value in want.items()
            for result in gained(*COUNTERS[name])(report, value)]


def on_close_ramp(report, want):
    """[before, after]; nothing while the load ran."""
    total = f"""SELECT sum(x.value) FROM metric_series AS s
        JOIN metric_sample AS x ON x.series_no = s.series_no
        WHERE {chosen(SERVER_FULL)} AND x.t = (SELECT t FROM mark WHERE name = 'MARK')"""
    return [(mark, rounded(report.ask(total.replace("MARK", mark))), value)
            for mark, value in zip(("close_start", "close_end"), want)] + [
        ("under load", rounded(gain(report, SERVER_FULL)), 0)]


def without_metrics(report, want):
    """'x stage': expected, and no such series."""
    stages = [words.removesuffix(" stage") for words in want]
    return [(stage, report.ask(f"SELECT count(*) FROM metric_series WHERE name GLOB '{STAGE}*'"
                               f" AND labels LIKE '%stage=\"{stage}\"%'"), 0) for stage in stages]


KUBERNETES = {
    "pods": "count(DISTINCT pod)", "ready": "sum(ready)", "restarts": "sum(restarts)",
    "oom_kills": "count(CASE WHEN last_reason = 'OOMKilled' THEN 1 END)",
    "image_digests": "count(DISTINCT image_id)",
    "cpu_limit": "printf('%dm', max(cpu_limit) * 1000)",
    "memory_limit": "printf('%dMi', max(memory_limit) >> 20)",
}


def kubernetes(report, want):
    return [(name, report.ask(f"SELECT {KUBERNETES[name]} FROM kube_container"), value)
            for name, value in want.items()]


def schema(report, want):
    sql = "SELECT tab || '.' || name, type FROM schema_column WHERE tab || '.' || name IN ({})"
    have = dict(report.rows(sql.format(", ".join(f"'{name}'" for name in want))))
    return [("schema_column", have, want)]


def letters(report, want):
    return at("persistence.dead_letter")(report, want["count"]) + [
        ("code", report.rows("SELECT DISTINCT code FROM dead_letter"), [[want["code"]]]),
        ("column", report.ask("SELECT count(*) FROM dead_letter WHERE error NOT LIKE"
                              f" '%column ''{want['column']}''%'"), 0)]


def closed(words):
    """Sockets that closed under load for this reason."""
    return asked(f"""SELECT count(*) FROM conn WHERE state = 'closed' AND why LIKE '%{words}%'
        AND t < (SELECT max(t) FROM mark WHERE name IN ('load_end', 'drain_end'))""")


REPLAYED = "SELECT mid FROM dead_letter WHERE state = 'replayed'"
