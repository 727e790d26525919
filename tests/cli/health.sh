#!/bin/bash
# impagent health: what it writes is a ledger's `health`, taken by the auditor without a word; it ends with what it watches.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
: "${IMPAGENT:?}"

mkdir -p run/agents/a run/agents/b run/db
tiny_plan run
tiny_ledgers run

"$IMPAGENT" health --agent a --every 20 -n 3 -p $$ -o run/agents/a/health.jsonl
is "$?" 0 'three samples of a process'
python3 - run/agents/a/health.jsonl >checked <<-'END'
	import json, sys
	def check(what, holds):
	    print("ok" if holds else "bad", what)
	lines = [json.loads(l) for l in open(sys.argv[1])]
	check("three lines", len(lines) == 3)
	check("events", all(l["ev"] == "health" and l["agent"] == "a" and isinstance(l["t"], int) for l in lines))
	check("in time", all(a["t"] < b["t"] for a, b in zip(lines, lines[1:])))
	check("machine", all(0 <= l["cpu_pct"] <= 100 and 0 <= l["ports_used"] <= l["ports_total"] and l["time_wait"] >= 0 for l in lines))
	check("process", all(l["rss_bytes"] > 100000 and 0 < l["fds"] < l["fd_limit"] and l["proc_cpu_pct"] >= 0 for l in lines))
END
while read -r result name; do
	is "$result" ok "$name"
done <checked
is "$(wc -l <checked)" 5 'all of it was looked at'

run 0 ingest -q run
is "$(query "SELECT count(*) FROM health WHERE name = 'ports_total' AND value > 0")" 3 'the auditor takes them'
is "$(query "SELECT value FROM ingest_count WHERE name = 'rejected'")" 0 'and rejects none'

"$IMPAGENT" health --every 20 -n 2 >out
is "$(grep -c '"agent":"health"' out):$(grep -c rss_bytes out)" 2:0 'without a process the sampler does not speak of itself'

sleep 30 &
watched=$!
"$IMPAGENT" health --every 20 -p "$watched" >samples &
sampler=$!
until [ -s samples ]; do :; done
kill "$watched"
wait "$sampler"
is "$?" 0 'it ends with the process that it watches'

"$IMPAGENT" health --every 20 >told &
sampler=$!
until [ -s told ]; do :; done
kill -TERM "$sampler"
wait "$sampler"
is "$?:$(tail -c 2 told)" '0:}' 'told to end, it ends with a whole line'

"$IMPAGENT" health -p 99999999 2>err
is "$?" 66 'no such process'
has err 'there is no process 99999999'
"$IMPAGENT" health --every 1 2>err
is "$?" 64 'an interval that is too short'
"$IMPAGENT" health -o /nowhere/x -n 1 2>err
is "$?" 73 'a file that cannot be made'
"$IMPAGENT" health --every 20 -n 1 >/dev/full 2>err
is "$?" 74 'a full disk'
"$IMPAGENT" nothing 2>err
is "$?" 64 'no such command'

tap_done
