#!/bin/bash
# Every damage rule of the ledger format (docs/ledger.md, section 1) through the program: the counters of the report, and each damaged
# line with its file. tests/unit/t-damage.c looks at the same rules from inside.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
export IMPAUDIT_STORE=s.db

pub='{"ev":"pub","t":1790000000000000001,"mid":"m1","topic":"p","from":"a1"}'
ctrl='{"ev":"ctrl","t":1790000000000000002,"mid":"m1","code":202,"seq":1}'
fail='{"ev":"fail","t":1790000000000000003,"mid":"m1","why":"timeout"' # open

# counters: those of the report in `report.json`, as NAME=VALUE behind one another.
counters()
{
	local counter
	for counter in lines records events rejected repaired resent unknown_events; do
		sed -n "/\"ingest\": {/,/}/s/.*\"$counter\": \([0-9]*\).*/$counter=\1/p" report.json
	done | tr '\n' ' ' | sed 's/ $//'
}

value()
{
	counters | tr ' ' '\n' | sed -n "s/^$1=//p"
}

# damage: the damaged lines, one a line.
damage()
{
	query 'SELECT file, line, what, reason FROM damage ORDER BY file, line, what'
}

# audit: the directory `run` anew.
audit()
{
	rm -f s.db*
	"$IMPAUDIT" -q ingest "$@" run 2>err &&
		"$IMPAUDIT" -q report --format json -o report.json
	is "$?" 0 "$name"
}

# rule NAME BYTES COUNTERS [DAMAGE...]: a ledger of these bytes (printf escapes), with one whole `pub` of its own in another file. The
# counters are those of the first file. Each DAMAGE is LINE,WHAT,REASON.
rule()
{
	name=$1
	local bytes=$2 want=$3 item
	shift 3
	rm -rf run
	mkdir -p run/agents/a run/agents/b
	printf '%s\n' "${pub//m1/m2}" >run/agents/b/whole.jsonl
	# shellcheck disable=SC2059  # the bytes are a format: they hold escapes
	printf "$bytes" >run/agents/a/l.jsonl
	audit
	is "$(query "SELECT records, events, rejected, repaired, resent FROM file WHERE path = 'agents/a/l.jsonl'" | tr ',' ' ')" \
		"$want" "$name: records, events, rejected, repaired, re-sent"
	is "$(value records)" "$(($(value events) + $(value rejected)))" "$name: records are events and rejected"
	is "$(damage)" "$(for item; do echo "agents/a/l.jsonl,$item"; done)" "$name: what is said of it"
}

rule 'whole lines' "$pub\n$ctrl\n" '2 2 0 0 0'
rule 'byte-order mark' "\357\273\277$pub\n" '1 1 0 0 0'
rule 'CRLF' "$pub\r\n$ctrl\r\n" '2 2 0 0 0'
rule 'blank lines' "\n$pub\n\r\n  \n$ctrl\n\n" '2 2 0 0 0'
rule 'no final newline' "$pub\n$ctrl" '2 2 0 0 0'
rule 'glued' "$pub$ctrl\n" '2 2 0 1 0' '1,repaired,records glued on one line'
rule 'torn start and a whole record' "${ctrl:0:30}$pub\n" '2 1 1 1 0' '1,rejected,torn record, another one behind it' \
	'1,repaired,record behind a torn start'
rule 'NULs before' "$pub\n\000\000$ctrl\n" '2 2 0 1 0' '2,repaired,NUL bytes beside a record'
rule 'NULs after' "$pub\000\000\n$ctrl\n" '2 2 0 1 0' '1,repaired,NUL bytes beside a record'
rule 'NULs inside' "${ctrl:0:30}\000\000${ctrl:30}\n$pub\n" '2 1 1 0 0' '1,rejected,NUL bytes inside a record'
rule 'invalid UTF-8' "$pub\n$fail,\"detail\":\"a\377\"}\n" '2 2 0 1 0' '2,repaired,text is not UTF-8: U+FFFD stands for it'
rule 'lone surrogate' "$pub\n$fail,\"detail\":\"\\\\udc00\"}\n" '2 2 0 1 0' '2,repaired,text is not UTF-8: U+FFFD stands for it'
rule 'NaN' "$pub\n$fail,\"bytes\":NaN}\n" '2 2 0 1 0' '2,repaired,NaN or Infinity: the field is not measured'
rule 'Infinity' "$pub\n$fail,\"bytes\":-Infinity}\n" '2 2 0 1 0' '2,repaired,NaN or Infinity: the field is not measured'
rule 'torn last line' "$pub\n${ctrl:0:30}" '2 1 1 0 0' '2,rejected,torn record at the end of the file: the ledger was cut'
rule 'torn elsewhere' "${ctrl:0:30}\n$pub\n" '2 1 1 0 0' '1,rejected,torn record'
rule 'garbage' "$pub\ngarbage\n" '2 1 1 0 0' '2,rejected,not a JSON object'
rule 'required key missing' "$pub\n${fail/,\"why\":\"timeout\"/}}\n" '2 1 1 0 0' '2,rejected,a required key is missing'
rule 'required key of the wrong type' "$pub\n${fail/\"m1\"/7}}\n" '2 1 1 0 0' '2,rejected,a required key has the wrong type'
rule 'double time' "$pub\n${fail/179*3,/1790000000.5,}}\n" '2 1 1 0 0' '2,rejected,the time is not an integer of nanoseconds'
rule 'key twice, equal' "$pub\n$fail,\"mid\":\"m1\"}\n" '2 2 0 0 0'
rule 'key twice, two values' "$pub\n$fail,\"mid\":\"m9\"}\n" '2 1 1 0 0' '2,rejected,one key with two different values'
rule 'the same line again' "$pub\n$ctrl\n$pub\n" '3 3 0 0 1'
rule 'unknown keys' "$pub\n$fail,\"x\":1,\"y\":{\"z\":2}}\n" '2 2 0 0 0'
is "$(query "SELECT value FROM ingest_count WHERE name = 'unknown_keys'")" 2 'which are counted'
rule 'unknown event' "$pub\n{\"ev\":\"novel\"}\n" '2 2 0 0 0'
is "$(value unknown_events)" 1 'which is counted'
grep -q '"ledger.unknown_events"' report.json
ok $? 'and reported'

# a line over the limit: only that line is lost
name='line too long'
rm -rf run
mkdir -p run/agents/a
{ printf '%s\n' "$pub"; printf '%s,"detail":"%02000d"}\n' "$fail" 0; printf '%s\n' "$ctrl"; } >run/agents/a/l.jsonl
audit --line-max 1K
is "$(counters)" 'lines=3 records=3 events=2 rejected=1 repaired=0 resent=0 unknown_events=0' "$name: counted"
is "$(damage)" 'agents/a/l.jsonl,2,rejected,line longer than the limit' "$name: listed"

# compressed files
name='several gzip members, zero padding'
{ printf '%s\n' "$pub" | gzip; printf '%s\n' "$ctrl" | gzip; head -c 512 /dev/zero; } >run/agents/a/l.jsonl.gz
rm run/agents/a/l.jsonl
audit
is "$(counters)" 'lines=2 records=2 events=2 rejected=0 repaired=0 resent=0 unknown_events=0' "$name: nothing to complain"
is "$(damage)" '' "$name: nothing listed"

name='cut gzip'
for i in 1 2 3 4 5 6 7 8 9; do printf '%s\n' "${pub//m1/m$i}"; done >plain
gzip -1 <plain | head -c -20 >run/agents/a/l.jsonl.gz
audit
is "$(query 'SELECT cut FROM file')" 1 "$name: known as cut"
ok "$([ "$(value records)" -ge 1 ] && [ "$(value events)" -lt 9 ]; echo $?)" "$name: what could be had is there"

name='cut zstd'
rm run/agents/a/l.jsonl.gz
printf '%s\n' "$pub" >run/agents/a/whole.jsonl
zstd -qc plain | head -c -20 >run/agents/a/l.jsonl.zst
audit
is "$(query "SELECT cut FROM file WHERE path LIKE '%zst'")" 1 "$name: known as cut"

tap_done
