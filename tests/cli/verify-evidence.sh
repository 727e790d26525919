#!/bin/bash
# `verify-evidence` reopens what a report refers to: it holds, until one byte of one file is another one.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

tiny_run run
echo 'W2026/09/21 14:13:22 cluster: load exceeded' >notes.txt
gzip -c notes.txt >run/notes.gz

verify()
{
	"$IMPAUDIT" verify-evidence -q "$@" >out 2>err
	status=$?
}

verify
is "$status" 66 'no store: no such input'

"$IMPAUDIT" ingest -q run
verify
is "$status" 0 'right after the ingest it holds'
is "$(tail -n 1 out)" 'The evidence holds.' 'and it says so'
# every file of the directory is one line; the one that is only hashed too
is "$(grep -c '^ok  ' out)" "$(find run -type f | wc -l)" 'every file is ok'
# the attempts of m2 (missing), m3 (lost) and m4 (unanswered), the ack of m3, and the file itself
is "$(grep -c 'agents/a/a.jsonl: 5 references$' out)" 1 'the lines that the report names'

verify --run tiny-1
is "$status" 0 'a run by its id'
verify --run tiny-2
is "$status" 66 'no such run'

cp run/agents/a/a.jsonl kept
size=$(stat -c %s kept)
printf b | dd of=run/agents/a/a.jsonl bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
verify
is "$status" 1 'one byte changed: it does not hold'
is "$(grep -c '^CHANGED' out)" 1 'one file'
is "$(grep -c '^CHANGED *agents/a/a.jsonl: .*: its SHA-256 is' out)" 1 'the changed one'
is "$(tail -n 1 out)" 'The evidence does not hold.' 'and it says so'

head -n 3 kept >run/agents/a/a.jsonl
verify
is "$status" 1 'a file that lost lines'
cp kept run/agents/a/a.jsonl
verify
is "$status" 0 'the old bytes again'

rm run/notes.gz
verify
is "$status" 1 'a file is gone'
is "$(grep -c '^MISSING *notes.gz: 1 reference' out)" 1 'it is named'

mv run elsewhere
verify
is "$status" 1 'the directory is gone'
is "$(grep -c '^MISSING' out)" "$(grep -c ': [0-9]* reference' out)" 'all are missing'
mv elsewhere run

"$IMPAUDIT" ingest -q --no-hash --store unhashed.db run
verify --store unhashed.db
is "$status" 3 'files without a hash cannot be compared'
is "$(tail -n 1 out)" 'Nothing could be compared: the files were not hashed.' 'and it says so'

# What a report quotes of a log is found again in every form that a runtime gives it, without its secrets.
formats()
{
	python3 - "$1" <<-'END'
		import json, sys
		quoted = ("W2026/09/21 14:13:24 topic proxy[p2p-1]: route broadcast request from proxy to master failed - cluster: load exceeded"
		          ' <"\u00e9"> token=abcdef0123 &> \\ tail')
		lines = [("2026-09-21T14:13:%02d.000000001Z" % s,
		          quoted if 23 <= s <= 30 else "I2026/09/21 14:13:%02d fine" % s) for s in range(19, 60)]
		for t, text in lines:
		    if sys.argv[1] == "docker":
		        line = json.dumps({"log": text + "\n", "stream": "stdout", "time": t}, ensure_ascii=False)
		        print(line.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
		    elif sys.argv[1] == "cri" and text == quoted:
		        print("%s stdout P %s\n%s stdout F %s" % (t, text[:80], t, text[80:]))
		    elif sys.argv[1] == "cri":
		        print(t, "stdout F", text)
		    elif sys.argv[1] == "stern":
		        print("\x1b[36mim-server-0\x1b[0m \x1b[32mim\x1b[0m", t, text)
		    else:
		        print(t, text)
	END
}

for format in docker cri stern kubectl; do
	mkdir -p run/logs
	PYTHONIOENCODING=utf-8 formats $format >run/logs/im-server-0.log
	"$IMPAUDIT" ingest -q run
	verify
	is "$status" 0 "$format: it holds"
	is "$(grep -c '^ok *logs/im-server-0.log: [2-9] references$' out)" 1 "$format: with lines of the log"
	"$IMPAUDIT" report -q -f json >report.json
	grep -q '"text": "[^"]*cluster: load exceeded' report.json
	is "$?" 0 "$format: the report quotes it"
	grep -q abcdef0123 report.json impaudit.db
	is "$?" 1 "$format: without the secret"
done

tap_done
