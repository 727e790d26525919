#!/bin/bash
# A look-up of the database that is repeated: what is said of messages that were missing at first and are stored later, how long that
# lasted and what repaired it, with second look-ups written by hand; and `impaudit recheck` as far as it needs no server. With servers:
# tests/lab/chain.sh.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
export IMPAUDIT_STORE=s.db

# at SECOND: nanoseconds
at()
{
	echo "$((t0 + $1))$ns"
}

# row CHECK MID SEQ [MORE]
row()
{
	echo "{\"ev\":\"row\",\"table\":\"messages\",\"mid\":\"$2\",\"topic\":\"p2p-1\",\"seq\":$3,\"check\":$1${4-}}"
}

# ended CHECK SECOND COUNT [COMPLETE]
ended()
{
	echo "{\"ev\":\"rows\",\"t\":$(at "$2"),\"table\":\"messages\",\"complete\":${4-true},\"count\":$3,\"check\":$1}"
}

# letter CHECK SECOND MID STATE
letter()
{
	echo "{\"ev\":\"dead\",\"t\":$(at "$2"),\"mid\":\"$3\",\"error\":\"Error 1264: Out of range value for column 'id'\",\"code\":1264,\"state\":\"$4\",\"check\":$1}"
}

# lag SECOND COMMITTED END
lag()
{
	echo "{\"ev\":\"lag\",\"t\":$(at "$1"),\"group\":\"g\",\"topic\":\"im\",\"partition\":0,\"committed\":$2,\"end\":$3}"
}

# column CHECK SECOND TYPE
column()
{
	echo "{\"ev\":\"column\",\"table\":\"messages\",\"column\":\"id\",\"type\":\"$3\",\"t\":$(at "$2")}" >"run/db/check-$1/schema.jsonl"
}

# repairs COLUMNS WANT WHAT
repairs()
{
	is "$(query_flat "SELECT $1 FROM repaired ORDER BY mid")" "$2" "$3"
}

# begin: tiny-1 of an im-server, m2 and m3 missing at the first check at t0 + 50
begin()
{
	rm -rf run s.db
	tiny_run run
	sed -i 's/"server":"tinode"/"server":"im-server"/; s/"systems":\["mysql"\]/"systems":["mysql","kafka"]/' run/run.json
	rm run/db/rows.jsonl
	mkdir -p run/db/check-1 run/db/check-2 run/kafka
	{
		row 1 m1 1
		ended 1 50 1
	} >run/db/check-1/rows.jsonl
}

ingest()
{
	"$IMPAUDIT" ingest -q run >out 2>err
	is $? 0 "$1"
}

# -------------------------------------------------------------------- the dead letters were replayed, into a wider column

begin
letter 1 40 m3 dead >run/db/check-1/dead.jsonl
echo "{\"ev\":\"deads\",\"t\":$(at 50),\"complete\":true,\"count\":1,\"check\":1}" >>run/db/check-1/dead.jsonl
column 1 50 'int(11)'
{
	row 2 m2 2
	row 2 m3 3 ",\"created\":\"2026-09-21T14:16:00Z\""
	ended 2 200 2
} >run/db/check-2/rows.jsonl
letter 2 150 m3 replayed >run/db/check-2/dead.jsonl
column 2 200 'bigint(20)'
{
	lag 48 1 3
	lag 201 3 3
} >run/kafka/lag.jsonl
ingest 'a second look-up'
repairs 'mid, missed_check, "check", how' 'm2,1,2,backlog m3,1,2,replay' 'what was repaired, and by what'
repairs "least_ns / 1e9, most_ns / 1e9" '48.996,198.996 47.995,197.995' \
	'from the ack to the row: between the look-ups, whatever its created says'
repairs "missed_file, missed_line, file, line" \
	'db/check-1/rows.jsonl,2,db/check-2/rows.jsonl,1 db/check-1/rows.jsonl,2,db/check-2/rows.jsonl,2' 'where it says so'
repairs "coalesce(letter_file, '-'), coalesce(changed, '-')" \
	'-,messages.id: int(11) to bigint(20) db/check-2/dead.jsonl,messages.id: int(11) to bigint(20)' \
	'the letter, and the column that became another meanwhile'
is "$(query "SELECT value FROM figure WHERE scope = 'total' AND name = 'persistence.exact'")" 3 'the figures are those of the last look-up'
run 0 report --format json -o r.json
is "$(python3 -c 'import json; r = json.load(open("r.json"))["repairs"]; print(r["total"], r["how"], r["shortest"], r["longest"]["most_ns"])')" \
	"2 {'replay': 1, 'backlog': 1, 'not_known': 0} {'least_ns': 47995000000, 'most_ns': 197995000000} 198996000000" 'the JSON report'
is "$(python3 -c 'import json; print(*((c["id"], c["result"], c["explains"], c["repaired"]) for c in json.load(open("r.json"))["causes"] if c["repaired"]))')" \
	"('persist.id_overflow', 'confirmed', 0, 2) ('persist.backlog', 'confirmed', 0, 1)" 'causes stand though nothing is missing any more'
run 0 report --format md -o r.md
has r.md '## Repaired since: missing at an earlier look-up, stored now'
has r.md '2 messages had no row at an earlier look-up and have one at a later one: 1 replayed from the dead letters, 1 the backlog drained.'
has r.md '- Meanwhile a column became another: messages.id: int(11) to bigint(20) (db/check-2/schema.jsonl:1).'
has r.md '1 message that it kept from being stored is by now: repaired'
"$IMPAUDIT" gate >out
has out 'repaired since: 2 messages (1 replayed from the dead letters, 1 the backlog drained), missing for 47.995 s to 3 min 17 s (median)'
has out 'persist.id_overflow (confirmed, 0 and 2 repaired since)'
run 0 verify-evidence

begin
{
	row 1 m1 1
	row 1 m3 3
	ended 1 200 2
} >run/db/check-1/rows.jsonl
{
	row 2 m2 2
	ns=003000000 ended 2 200 1
} >run/db/check-2/rows.jsonl
ingest 'look-ups close to one another'
"$IMPAUDIT" gate >out
is "$(sed -n 's/^repaired since: .* missing for //p' out)" '3 min 18 s' 'two ends that read the same are said once'

# -------------------------------------------------------------------- what is no repair, and what nobody knows of one

begin
{
	row 2 m2 2
	ended 2 200 1
} >run/db/check-2/rows.jsonl
ingest 'without lag and letters'
repairs 'mid, coalesce(how, 0), coalesce(letter, 0), coalesce(changed, 0)' 'm2,0,0,0' 'not known what repaired it'
is "$(query_flat "SELECT mid, persisted FROM message ORDER BY mid")" 'm1,exact m2,exact m3,absent m4,absent' \
	'absence on the last check, presence on any'
lag 49 3 3 >run/kafka/lag.jsonl
ingest 'nothing lagged at the first look-up'
repairs 'mid, coalesce(how, 0)' 'm2,0' 'then no backlog drained'
{
	lag 120 1 3
} >run/kafka/lag.jsonl
ingest 'a sample more than a minute from the look-up'
repairs 'mid, coalesce(how, 0)' 'm2,0' 'says nothing about it'
letter 1 40 m2 dead >run/db/check-1/dead.jsonl
lag 48 1 3 >run/kafka/lag.jsonl
ingest 'a letter that is dead, and lag'
repairs 'mid, coalesce(how, 0), letter' 'm2,0,dead' 'a letter that nobody says was replayed: not known'
sed -i 's/"complete":true,"count":1,"check":1/"complete":false,"count":1,"check":1/' run/db/check-1/rows.jsonl
rm run/db/check-1/dead.jsonl
ingest 'a first look-up that did not end'
repairs 'mid' '' 'missed nothing: not looked at is not absent'
letter 1 40 m2 dead >run/db/check-1/dead.jsonl
echo "{\"ev\":\"deads\",\"t\":$(at 50),\"complete\":true,\"count\":1,\"check\":1}" >>run/db/check-1/dead.jsonl
ingest 'the same with a letter'
repairs 'mid, missed_check, missed_file, missed_line' 'm2,1,db/check-1/dead.jsonl,2' 'the letter shows that it was not stored'
begin
{
	row 2 m2 2
} >run/db/check-2/rows.jsonl
ingest 'a second look-up without its end'
repairs 'mid, most_ns IS NULL' 'm2,1' 'the row is there, nobody says by when'
run 0 report --format md -o r.md
has r.md 'the shortest at least 48.996 s'
begin
row 2 m1 1 ',"id":"1"' >run/db/check-2/rows.jsonl
row 1 m2 2 >run/db/check-1/more.jsonl
sed -i 's/"count":1/"count":2/' run/db/check-1/rows.jsonl
ingest 'rows that the first look-up had'
repairs 'mid' '' 'nothing to repair'
run 0 report --format json -o r.json
is "$(python3 -c 'import json; r = json.load(open("r.json"))["repairs"]; print(r["total"], r["median"], r["messages"])')" \
	"0 {'least_ns': None, 'most_ns': None} []" 'the JSON report of none'

# -------------------------------------------------------------------- recheck, without a server

# nobody listens at port 1
cat >impaudit.yaml <<-END
	format: 1
	mysql:
	  address: 127.0.0.1:1
	  user: nobody
	  database: im
	  tries: 1
	  timeout: 1s
	  tables: [{table: messages}]
	  dead_letters: [{table: dead}]
END
begin
{
	row 1 m2 2
	row 1 m3 3
	row 1 m4 4
	ended 1 51 4
} >run/db/check-1/more.jsonl
ingest 'a run with all of its rows'
run 0 recheck --config /nowhere/impaudit.yaml
is "$(cat out)" 'tiny-1: nothing is missing, nobody was asked' 'nothing is missing'
is "$(find run/collect run/db/check-3 2>/dev/null)" '' 'nobody was asked'

begin
ingest 'a run with two acked rows missing'
run 64 recheck one-too-many
run 66 recheck --config /nowhere/impaudit.yaml
run 66 recheck --run another
run 69 recheck
has out 'tiny-1: check 3 looked for 3 messages, not everywhere: what it did not find counts as before'
has out 'still missing: 3 (3 absent)'
has err '127.0.0.1:1'
is "$(query_flat "SELECT mid, persisted FROM message ORDER BY mid")" 'm1,exact m2,absent m3,absent m4,absent' \
	'what could not be asked for is what it was'
is "$(query_flat "SELECT DISTINCT system, phase, status FROM collected")" 'mysql,recheck,unreachable' 'and the journal says that it could not'
is "$(query_flat "SELECT of, complete, holds FROM db_query WHERE \"check\" = 3")" 'deads,0,0' 'no look-up is complete'
mv run elsewhere
run 66 recheck
has err "the results directory of run 'tiny-1'"
has err '--out DIR says where it is now'
rm s.db
run 66 recheck
tap_done
