#!/bin/bash
# `trust` on files of k6 and of its machine: every shape of summary, raw output, and what follows from what is not there.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

trust()
{
	"$IMPAUDIT" trust "$@" >out 2>err
	status=$?
}

# health NAME=VALUE...: 31 samples from 12:00:00 on, two seconds apart; of samples 5 to 20 the given values instead of quiet ones.
health()
{
	python3 - "$@" <<-'END'
		import json, sys
		odd = {k: float(v) for k, v in (a.split("=") for a in sys.argv[1:])}
		rows = []
		for i in range(31):
		    row = {"ts": "2026-09-27T12:%02d:%02d" % divmod(2 * i, 60), "cpu_pct": 31.5, "time_wait": 120, "port_used": 800,
		           "port_total": 28232, "port_use_ratio": 0.0283, "fd_alloc": 2000, "fd_use_ratio": 0.0002}
		    if 5 <= i <= 20:
		        row.update(odd)
		    rows.append(row)
		json.dump(rows, sys.stdout, indent=2)
	END
}

# summary SHAPE NAME.STAT=VALUE...: a minute of 6,000 iterations, none dropped, changed as the arguments say; `NAME=` leaves one out.
summary()
{
	python3 - "$@" <<-'END'
		import json, sys
		shape = sys.argv[1]
		kinds = {"iterations": "counter", "dropped_iterations": "counter", "iteration_duration": "trend", "vus_max": "gauge",
		         "client_queue_ms": "trend", "conn_rebuild": "counter", "tls_handshake": "counter"}
		m = {"iterations": {"count": 6000, "rate": 100}, "dropped_iterations": {"count": 0, "rate": 0},
		     "iteration_duration": {"avg": 200, "min": 90, "med": 180, "max": 900, "p(90)": 300, "p(95)": 400},
		     "vus_max": {"value": 60, "min": 50, "max": 60},
		     "client_queue_ms": {"avg": 2, "min": 0, "med": 1, "max": 70, "p(90)": 5, "p(95)": 8, "p(99)": 12},
		     "conn_rebuild": {"count": 60, "rate": 1}, "tls_handshake": {"count": 60, "rate": 1}}
		held = {"client_queue_ms": {"p(99)<50": True}, "dropped_iterations": {"count<100": True}}
		for change in sys.argv[2:]:
		    path, value = change.split("=", 1)
		    name, _, stat = path.partition(".")
		    if stat == "breached":
		        held[name] = {value: False}
		    elif stat:
		        m[name][stat] = float(value)
		    else:
		        del m[name]
		        held.pop(name, None)
		if shape == "old":
		    for name in m:
		        if name in held:
		            m[name]["thresholds"] = {t: not ok for t, ok in held[name].items()}
		    out = {"root_group": {"name": "", "path": "", "id": "x", "groups": {}, "checks": {}}, "metrics": m}
		elif shape == "handle":
		    out = {"metrics": {name: {"type": kinds[name], "contains": "default", "values": v,
		                              **({"thresholds": {t: {"ok": ok} for t, ok in held[name].items()}} if name in held else {})}
		                       for name, v in m.items()},
		           "root_group": {"name": "", "groups": [], "checks": []}, "state": {"testRunDurationMs": 60000}, "options": {}}
		else:
		    out = {"version": "1.0.0", "config": {"duration": 60, "execution": "local", "script": "x.js"},
		           "metadata": {"generatedAt": "2026-09-27T12:01:00Z", "k6Version": "1.5.0"},
		           "results": {"checks": {"metrics": [], "results": []},
		                       "metrics": [{"name": name, "type": kinds[name], "contains": "default",
		                                    "values": {k: x for k, x in v.items() if kinds[name] != "counter" or k == "count"}}
		                                   for name, v in m.items()]}}
		json.dump(out, sys.stdout, indent=1)
	END
}

health >quiet.json
for shape in old handle new; do
	summary $shape >$shape.json
	trust quiet.json $shape.json
	is "$status" 0 "$shape: trusted"
	is "$(sed -n '1s/.*: //p' out)" 'load generator trusted' "$shape: and says so"
	summary $shape dropped_iterations.count=41 >x.json
	trust quiet.json x.json
	is "$status" 1 "$shape: dropped iterations, though the threshold of 100 held"
	is "$(grep -c '(trust.dropped): .*: 41, required = 0: 0.679 % of what was planned$' out)" 1 "$shape: how many and what share"
	summary $shape dropped_iterations= >x.json
	trust quiet.json x.json
	is "$status" 3 "$shape: an absent metric is not 0"
	trust --arrival-rate quiet.json x.json
	is "$status" 0 "$shape: unless the executors are known"
	summary $shape 'client_queue_ms.p(99)=50.5' >x.json
	trust quiet.json x.json
	is "$status" 1 "$shape: requests waited inside the tool"
	summary $shape client_queue_ms= >x.json
	trust quiet.json x.json
	is "$status" 3 "$shape: nobody measured whether they did"
	summary $shape tls_handshake.count=500 >x.json
	trust quiet.json x.json
	is "$status" 1 "$shape: handshakes under load"
	summary $shape 'iteration_duration.p(90)=401' >x.json
	trust quiet.json x.json
	is "$status" 1 "$shape: percentiles that fall"
done
for shape in old handle; do
	summary $shape 'vus_max.breached=max<50' >x.json
	trust quiet.json x.json
	is "$status" 1 "$shape: a breached threshold"
	is "$(grep -c '(trust.thresholds): .*vus_max max<50$' out)" 1 "$shape: by its name"
done

between='between 12:00:10 and 12:00:40 by its own clock'
health cpu_pct=93 >busy.json
trust busy.json old.json
is "$status" 1 'a busy machine'
is "$(grep -c "(trust.host): .*CPU up to 93 % $between\$" out)" 1 'when it was busy'
health time_wait=5001 >busy.json
trust busy.json old.json
is "$(grep -c "TIME_WAIT up to 5001 $between\$" out)" 1 'TIME_WAIT'
health port_use_ratio=0.61 >busy.json
trust busy.json old.json
is "$(grep -c "ports up to 61 % $between\$" out)" 1 'ports'
health fd_use_ratio=0.81 >busy.json
trust busy.json old.json
is "$(grep -c "descriptors up to 81 % $between\$" out)" 1 'descriptors'

trust quiet.json
is "$status" 3 'the machine alone is not enough'
trust old.json
is "$status" 3 'nor is the summary'
is "$(grep -c '(trust.host): no other load tool sampled its machine (bring ' out)" 1 'it says what to bring'

# raw LAST: ten iterations a second for a minute, 20 ms of waiting each; the last seconds of it drop half of theirs.
raw()
{
	python3 - "$@" <<-'END'
		import json, sys
		def metric(name, kind, contains):
		    print(json.dumps({"type": "Metric", "data": {"name": name, "type": kind, "contains": contains, "thresholds": [],
		                                                 "submetrics": None}, "metric": name}))
		def point(name, i, value):
		    t = "2026-09-27T12:%02d:%02d.%06d+00:00" % (i // 600, i // 10 % 60, i % 10 * 100000)
		    print(json.dumps({"metric": name, "type": "Point", "data": {"time": t, "value": value, "tags": {"scenario": "steady"}}}))
		metric("iterations", "counter", "default")
		metric("client_queue_ms", "trend", "time")
		metric("dropped_iterations", "counter", "default")
		if sys.argv[1] == "0":
		    point("dropped_iterations", 0, 0)
		for i in range(601):
		    drop = i >= 600 - 10 * int(sys.argv[1]) and i % 2
		    point("dropped_iterations" if drop else "iterations", i, 1)
		    if not drop:
		        point("client_queue_ms", i, 20)
	END
}

raw 0 >raw.json
trust quiet.json raw.json
is "$status" 0 'raw output: trusted'
raw 5 | gzip >raw.json.gz
trust quiet.json raw.json.gz
is "$status" 1 'raw output: dropped iterations'
is "$(grep -c '(trust.dropped): .*: 25, required = 0: .*between 12:00:55 and 12:00:59 UTC$' out)" 1 'when they were'
is "$(grep -c '(trust.rate): .*: 75 / 100 = 75 %, required >= 90 %: the ten seconds from 12:00:50 UTC$' out)" 1 'the worst ten seconds'
head -c -30 raw.json >torn.json
trust quiet.json torn.json
is "$status" 3 'a torn file: what is missing is not known'

# the same files in a results directory: one set of rules for both
tiny_run run
mkdir run/loadgen
cp quiet.json run/loadgen/health.json
summary handle dropped_iterations.count=41 >run/loadgen/summary.json
"$IMPAUDIT" ingest -q --store run.db run
trust --store run.db
is "$status" 1 'a run with files of another tool'
is "$(sed -n '1s/:.*//p' out)" tiny-1 'by its name'
is "$(grep -c '(trust.dropped): .*: 41, required = 0: 0.679 % of what was planned$' out)" 1 'the same words'
is "$(grep -c '(trust.machine): ' out)" 1 'beside our own agents'
"$IMPAUDIT" report -q --store run.db >report.md
is "$(grep -c '^[*][*]The load generator cannot be trusted.[*][*]$' report.md)" 1 'its report says so'
is "$(grep -c '^- .trust.dropped.: .*41, required = 0: 0.679 % of what was planned' report.md)" 1 'and why'

trust nothing.json
is "$status" 66 'no such file'
echo '{"a": 1}' >other.json
trust other.json
is "$status" 65 'a file that is none of them'
trust --run x quiet.json
is "$status" 64 'a run and files'
trust
is "$status" 66 'no store'

tap_done
