"""Metric snapshots and answers of the Prometheus API. Snapshots are taken at T0, the mark load_start, but where a time stands in them."""
import json

TEXT = "metrics/im-server-0@load_start.prom"
API = "metrics/answer.json"


def prom(text):
    return {TEXT: text.encode() if isinstance(text, str) else text}


def api(result_type, result, **more):
    return {API: json.dumps({"status": "success", "data": {"resultType": result_type, "result": result}, **more}).encode()}


T0_S = 1_790_000_000

CASES = [
    ("text: counters and labels", prom('# HELP a Of all.\n# TYPE a counter\na{y="2",x="1"} 5\na{x="2"} 7\n'),
     {"samples": [['a{x="1",y="2"}', 5], ['a{x="2"}', 7]], "times": [['a{x="1",y="2"}', 0], ['a{x="2"}', 0]], "bad": 0,
      "types": [["a", "counter"], ["a", "counter"]]}),
    ("prometheus#1469: a blank behind the value", prom("a 1 \nb 2\n"), {"samples": [["a", 1], ["b", 2]], "bad": 0}),
    ("prometheus#1135, engelsystem#909: no newline at the end", prom("a 1\nb 2"), {"samples": [["a", 1], ["b", 2]], "flagged": 1}),
    ("prometheus#3793: a label without a name", prom('a{="foo"} 1\nb 2\n'), {"samples": [["b", 2]], "bad": 1}),
    ("mtail#64: label values without quotes", prom("a{b=c} 1\nb 2\n"), {"samples": [["b", 2]], "bad": 1}),
    ("client_java#262: a comma behind the last label", prom('a{b="c",} 1\nb 2\n'), {"samples": [['a{b="c"}', 1], ["b", 2]], "bad": 0}),
    ("text: no comma between labels is an error", prom('a{b="c" d="e"} 1\nb 2\n'), {"samples": [["b", 2]], "bad": 1}),
    ("text: escapes in label values", prom('a{b="x\\\\y\\"z\\nw"} 1\n'), {"SELECT value FROM metric_sample": 1, "bad": 0}),
    ("text: a backslash before any other character is kept", prom('a{b="c\\qd"} 1\n'), {"samples": [['a{b="c\\\\qd"}', 1]], "bad": 0}),
    ("text: blanks and tabs", prom('a {b = "c" , }  1\t\n'), {"samples": [['a{b="c"}', 1]], "bad": 0}),
    ("text: NaN is not measured, infinity in any case", prom("a NaN\nb 1e3\nc -0.5\n"), {"samples": [["a", None], ["b", 1000], ["c", -0.5]]}),
    ("text: CRLF", prom("# TYPE a counter\r\na 1\r\n"), {"samples": [["a", 1]], "flagged": 1}),
    ("text: a byte-order mark", prom("\ufeffa 1\nb 2\n"), {"samples": [["a", 1], ["b", 2]]}),
    ("text: an exemplar that does not belong there", prom('a_bucket{le="1"} 3 # {t="x"} 0.5\n'), {"samples": [['a_bucket{le="1"}', 3]]}),
    ("text: a page of HTML is no measurement", prom("<html>\n<head><title>502 Bad Gateway</title></head>\n</html>\n"),
     {"samples": [], "SELECT count(*) FROM source WHERE kind = 'metrics' AND samples > 0": 0}),
    ("telegraf#11283: milliseconds in text", prom(f"a 1 {T0_S + 1}000\n"), {"times": [["a", 1]]}),
    ("prom2json#208: seconds in text", prom(f"a 1 {T0_S + 1}.553\n"), {"times": [["a", 1.553]]}),
    ("groktocrawl#488, metering-operator#1528: milliseconds in OpenMetrics", prom(f"# TYPE a gauge\na 1 {T0_S + 2}000\n# EOF\n"),
     {"times": [["a", 2]]}),
    ("OpenMetrics: seconds, exemplars, _created",
     prom(f'# TYPE h histogram\n# UNIT h seconds\nh_bucket{{le="1.0"}} 2 {T0_S + 1}.5 # {{t="x"}} 0.5 {T0_S}\nh_bucket{{le="+Inf"}} 3\nh_count 3\n'
          f"h_sum 1.5\nh_created {T0_S - 60}\n# EOF\n"),
     {"SELECT count(*) FROM metric_series WHERE type = 'histogram' AND name = 'h_bucket'": 2,
      "SELECT value FROM metric_sample AS x JOIN metric_series AS s ON s.series_no = x.series_no WHERE s.name = 'h_count'": 3,
      "SELECT format FROM source WHERE kind = 'metrics'": "openmetrics", "bad": 0}),
    ("rspamd#5192, ecchronos#416: OpenMetrics without # EOF", prom("# TYPE a counter\n# UNIT a seconds\na_total 1\n"),
     {"samples": [["a_total", 1]], "flagged": 1}),
    ("telegraf#9547: type info", prom('# TYPE build info\nbuild_info{version="1"} 1\n# EOF\n'),
     {"samples": [['build_info{version="1"}', 1]], "types": [["build_info", "info"]], "bad": 0}),
    ("prometheus#3886, #1673: a series born in the window has one sample", {
        "metrics/im-server-0@load_start.prom": b"a 1\n", "metrics/im-server-0@load_end.prom": b'a 1\nb{r="full"} 7\n'},
     {"times": [["a", 0], ["a", 10], ['b{r="full"}', 10]], "samples": [["a", 1], ["a", 1], ['b{r="full"}', 7]]}),
    ("a name with Unix seconds dates a snapshot, another name none", {
        f"metrics/x@{T0_S + 3}.prom": b"a 1\n", "metrics/y.prom": b"b 2\n"}, {"times": [["a", 3], ["b", None]]}),
    ("prometheus#2253, #1968: an error is no data", {API: json.dumps({
        "status": "error", "errorType": "bad_data",
        "error": "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)"}).encode()},
     {"samples": [], "SELECT note LIKE '%11,000 points%' FROM source WHERE kind = 'metrics'": 1}),
    ("API: matrix with a hole, NaN, strings", api("matrix", [{"metric": {"__name__": "a", "pod": "im-server-0"}, "values": [
        [T0_S + 1.553, "1"], [T0_S + 2, "NaN"], [T0_S + 9, "3.5"]]}]),
     {"samples": [['a{pod="im-server-0"}', 1], ['a{pod="im-server-0"}', None], ['a{pod="im-server-0"}', 3.5]],
      "times": [['a{pod="im-server-0"}', 1.553], ['a{pod="im-server-0"}', 2], ['a{pod="im-server-0"}', 9]], "flagged": 0}),
    ("API: vector", api("vector", [{"metric": {"__name__": "a"}, "value": [T0_S, "7"]}]), {"samples": [["a", 7]], "times": [["a", 0]]}),
    ("API: warnings mean that something is missing", api("vector", [{"metric": {"__name__": "a"}, "value": [T0_S, "7"]}],
                                                         warnings=["results truncated due to limit"]), {"samples": [["a", 7]], "flagged": 1}),
]
