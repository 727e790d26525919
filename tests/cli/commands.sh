#!/bin/bash
# Every command on one tiny run, from its directory to its verdict.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

tiny_run run

# ingest
run 0 -v ingest run
has err 'tiny-1: 6 files, '
has err 'files parsed: 6 of 6'
run 0 -v ingest run
has err 'tiny-1: unchanged since the last ingest'
has err 'files parsed: 0 of 6'
run 0 -q ingest run
is "$(cat err out)" '' '-q is quiet'

# report
run 0 report
has out '# tiny-1: FAIL'
has out '4 messages planned, 3 accepted (75 % of 4 attempted): 1 lost from storage. 1 of 3 deliveries never arrived (1 receiver), with the receiver connected throughout.'
# shellcheck disable=SC2016
has out '| `p2p-1` | `a1` | `b1` | `m2` | 2 | 2026-09-21T14:13:21.000Z | 2026-09-21T14:13:21.004Z | 2026-09-21T14:13:53.000Z | yes | agents/a/a.jsonl:5 |'
# shellcheck disable=SC2016
has out '| `p2p-1` | `a1` | `m3` | 3 |'
cp out first.md
run 0 report -o second.md
ok "$(cmp -s first.md second.md; echo $?)" 'the same bytes into a file'
is "$(ls)" "$(printf '%s\n' err first.md impaudit.db out run second.md)" 'and nothing beside'
run 0 report --format json
is "$(sed -n 's/^ "schema": "\(.*\)",/\1/p' out)" 'impaudit.report/1' 'JSON'
run 0 report --tz +08:00
has out '2026-09-21T14:13:21.004Z (2026-09-21T22:13:21.004+08:00)'
run 0 report --limit 0
has out '1 delivery, the first 0 of them here'
run 64 report --format html
has err "no report format 'html': there are md, json"
run 64 report --tz Mars/Olympus
run 66 report --run other
run 73 report -o no/such/file
run 64 report --profile none

# gate
run 1 gate
has out 'tiny-1: FAIL  (profile release)'
has out 'loss.durable'
ok "$([ "$(wc -l <out)" -le 60 ]; echo $?)" 'the verdict fits on a screen'
run 1 gate --run tiny-1 --profile release

mkdir rules
echo 'rules: {' >rules/broken.yaml
run 65 gate --rules rules
has err 'broken.yaml:'
is "$(cat out)" '' 'and no verdict'
run 66 gate --rules no-such

# explain
run 0 explain m1
has out 'published by a1 on p2p-1, try 1  [agents/a/a.jsonl:3]'
has out 'answer 202, seq 1  [agents/a/a.jsonl:4]'
has out 'received by b1 on p2p-1, seq 1  [agents/b/b.jsonl:3]'
has out 'stored in messages, topic p2p-1, seq 1, check 1, id 11  [db/rows.jsonl:1]'
is "$(grep -n -e published -e answer -e received out | sed 's/^[0-9]*:[^ ]*  *[-+0-9.]* ms  //; s/ .*//' | tr '\n' ' ')" \
	'published answer received ' 'in the order of time'
run 0 explain m2
has out 'class lost_realtime_persisted: accepted and stored, but some receiver never got it'
has out 'never received by b1, which was connected all the time, watched by agent b'
run 0 explain m4
has out 'no answer, timeout  [agents/a/a.jsonl:10]'
run 66 explain m9
cp -r run moved
echo >>run/agents/b/b.jsonl
run 0 explain m1
has out 'received by b1 on p2p-1, seq 1'
has out 'source changed: agents/b/b.jsonl'
has out '[agents/a/a.jsonl:3]'
rm run/agents/b/b.jsonl
run 0 explain m1
has out 'source gone: agents/b/b.jsonl'
rm -r run
mv moved run

# sql
run 0 sql 'SELECT mid, class FROM message ORDER BY mid' --format csv
is "$(cat out)" "$(printf '%s\n' mid,class m1,ok m2,lost_realtime_persisted m3,durable_lost m4,unknown_absent)" 'csv'
run 0 sql --format json 'SELECT mid, ack_ns FROM message WHERE seq = 2;'
is "$(tr -d '\n' <out)" '[ {"mid": "m2", "ack_ns": 4000000}]' 'json'
run 0 sql 'SELECT receiver, count(*) AS n FROM missing'
is "$(cat out)" "$(printf '%s\n' 'receiver  n' 'b1        1')" 'table'
run 64 sql 'DELETE FROM message'
run 64 sql 'SELECT 1; SELECT 2'
run 64 sql "ATTACH 'x' AS x"
run 64 sql ''
run 0 sql 'SELECT count(*) FROM main.message'
has out 4

# audit
run 1 audit run
ok "$(cmp -s first.md run/report.md; echo $?)" 'report.md is the report'
ok "$([ -s run/report.json ] && [ -s run/impaudit.db ]; echo $?)" 'report.json and the store lie beside it'
has out 'tiny-1: FAIL  (profile release)'
run 1 audit run
has err 'unchanged since the last ingest'
run 1 --store elsewhere.db audit run
ok "$([ -s elsewhere.db ]; echo $?)" '--store names another store'

# runs, forget
run 0 runs
is "$(sed -n 2p out | cut -d ' ' -f 1)" 'tiny-1' 'the run is listed'
run 66 forget other
run 0 forget tiny-1
run 0 runs --format csv
is "$(wc -l <out)" 1 'the run is gone'
run 66 report

# damage of the command line's own input
run 66 ingest nowhere
mkdir empty
run 65 ingest empty

tap_done
