#!/bin/bash
# Causes from raw evidence to the report: of a recorded run, where they stand, that they add up, and that every place can be followed.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

cp -R "$top_srcdir/fixtures/recorded/tinode-killed" "$top_srcdir/fixtures/recorded/tinode-p2p" .
chmod -R u+w .

"$IMPAUDIT" ingest -q tinode-p2p tinode-killed
"$IMPAUDIT" report -q -o killed.md
"$IMPAUDIT" report -q -f json -o killed.json
"$IMPAUDIT" gate >killed.txt
is "$?" 1 'the verdict is FAIL'

is "$(grep -E '^(## Why|## Where to look|\| gate )' killed.md | cut -c 1-6)" "$(printf '| gate\n## Why\n## Whe')" \
	'the reasons stand between the gates and where to look'
is "$(grep -c '^why: .*; unexplained: [0-9,]* of 1,532 failing messages$' killed.txt)" 1 'the screen has one line of them'

python3 - killed.json >checked <<-'END'
	import json, sys
	r = json.load(open(sys.argv[1]))
	order = ["confirmed", "probable", "possible", "refuted", "not_evaluated"]
	files = {f["path"]: f for f in r["files"]}
	places = [p for c in r["causes"] + r["findings"] for p in c["evidence"] + c["against"]]
	owned = [c for c in r["causes"] if c["explains"]]
	def check(name, holds):
	    print(name, "ok" if holds else "WRONG")
	check("sum", sum(c["explains"] for c in r["causes"]) + r["unexplained_messages"] == r["failing_messages"] == 1532)
	check("named", all(c["result"] in order[:3] for c in owned))
	check("ranked", r["causes"] == sorted(r["causes"], key=lambda c: (order.index(c["result"]), -c["explains"])))
	check("once", len({c["id"] for c in r["causes"]}) == len(r["causes"]))
	check("places", len(places) > 0 and all(p["file"] in files and p["sha256"] == files[p["file"]]["sha256"] for p in places))
	check("languages", all(c["title"]["en"] != c["title"]["zh-CN"] for c in r["causes"]))
	check("missing", all(c["missing"] or c["why"] for c in r["causes"] if c["result"] == "not_evaluated"))
	check("nested", all(c["under"] is None or c["under"] in {o["id"] for o in owned} for c in r["causes"]))
	logs = [s for s in r["sources"] if s["kind"] == "log"]
	check("sources", len(logs) == 3 and all(s["first"] and s["last"] and s["samples"] > 0 for s in logs))
END
while read -r name result; do
	is "$result" ok "killed.json: $name"
done <checked
is "$(wc -l <checked)" 9 'all of them were looked at'

"$IMPAUDIT" verify-evidence >out
is "$?" 0 'every place can be followed'
is "$(grep -c '^ok *logs/im-server-.*: \([2-9]\|[1-9][0-9]\) references' out)" 3 'into the logs too'
python3 - <<-'END'
	import sqlite3
	s = sqlite3.connect("impaudit.db")
	s.execute("UPDATE log_hit SET text = 'x' || text WHERE signature = 'log.cluster.not_connected'")
	s.commit()
END
"$IMPAUDIT" verify-evidence >out
is "$?" 1 'a quote that is not what the line says is noticed'
is "$(grep -c '^CHANGED *logs/im-server-.*: line [0-9]* does not say what the report quotes$' out)" 2 'in both logs that have it'

"$IMPAUDIT" report -q --run tinode-p2p -o p2p.md
is "$(sed -n '/^## Why/,/^## [^W]/p' p2p.md | sed -n 3p)" 'Nothing failed: nothing to explain.' 'a healthy run is short'

tap_done
