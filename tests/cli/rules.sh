#!/bin/bash
# `impaudit rules`: rules are listed, checked, tested and explained; what is wrong in a file is told with its place.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# rules NAME: a directory with the rule file of standard input.
rules()
{
	mkdir -p "$1"
	{
		printf "engine: '>=1.0'\nrules:\n"
		cat
	} >"$1/r.yaml"
}

# list
run 0 rules list --kind profile
is "$(sed 1d out | cut -d ' ' -f 1 | tr '\n' ' ')" 'release capacity-step trust ' 'the profiles'
run 0 rules list --format csv
is "$(head -n 1 out)" 'id,kind,rev,status,title,tests,place' 'the columns'
has out 'loss.durable,gate,1,stable,'
run 0 rules list -k gate -f json
has out '{"id": "ready", "kind": "gate", "rev": 1, "status": "stable", '
run 64 rules list --kind gates
run 64 rules list ready
run 64 rules
run 64 rules compile
has err "'rules' wants one of list, lint, test, explain, not 'compile'"
run 64 rules test --kind gate
run 64 rules list --mutate

# test: the built-in rules hold
run 0 rules test
has out ' tests, 0 failed'
run 0 rules test loss.durable ready
run 66 rules test nowhere
has err "there is no rule 'nowhere'"

# a rule of a user's own: its tests, what lint says of it, what it is
rules good <<'RULES'
- kind: signature
  id: log.mine.full
  title: {en: a queue is full, zh-CN: 队列已满}
  why: {en: A full queue refuses., zh-CN: 队列满时拒绝。}
  match: [{re: 'queue (?<subject>\w+) full'}, {re: '^FULL '}]
  effect: told_client
  tests:
  - {name: hit, logs: {p.log: 'queue a full'}, expect: {count: [1, 1]}}
  - {name: hit too, logs: {p.log: 'FULL a'}, expect: {count: [1, 1]}}
  - {name: miss, logs: {p.log: 'queue a empty'}, expect: {count: [0, 0]}}
  - {name: absent, logs: {}, expect: not_evaluated}
RULES
run 0 rules test --rules good log.mine.full
is "$(cat out)" '4 tests, 0 failed' 'its four tests'
run 0 rules test --rules good --mutate log.mine.full
is "$(tail -n 1 out)" '2 mutations, 0 not noticed' 'each of its expressions is needed'
run 0 rules explain --rules good log.mine.full
has out 'log.mine.full  (signature, revision 1, stable)  good/r.yaml:3'
has out 'looks for queue (?<subject>\w+) full'
has out 'effect    told_client: the client is told'
has out '队列已满'
run 64 rules explain
run 66 rules explain log.mine.full
has err "hint: 'impaudit rules list' names them all"
run 64 rules lint ready

rules wrong <<'RULES'
- kind: signature
  id: log.mine.full
  title: {en: a queue is full}
  match: [{re: 'queue (?<subject>\w+) full'}, {re: 'is full$'}]
  effect: told_client
  tests:
  - {name: hit, logs: {p.log: 'queue a full'}, expect: {count: [2, 2]}}
- kind: signature
  id: log.mine.other
  title: {en: another, zh-CN: 另一个}
  why: {en: another, zh-CN: 另一个}
  match: [{re: ' full'}, {re: 'never seen'}]
  effect: info
  tests:
  - {name: hit, logs: {p.log: 'so full'}, expect: {count: [1, 1]}}
  - {name: miss, logs: {p.log: 'fully'}, expect: {count: [0, 0]}}
  - {name: absent, expect: not_evaluated}
RULES
run 1 rules test --rules wrong log.mine.full
has out 'log.mine.full: hit: count 2 was expected, not count 1'
run 1 rules test --rules wrong --mutate log.mine.other
has out "log.mine.other: no test notices: expression 'never seen' taken away"
run 1 rules lint --rules wrong
# shellcheck disable=SC2016
has out 'wrong/r.yaml:3: log.mine.full: `title` is in English alone'
# shellcheck disable=SC2016
has out 'wrong/r.yaml:3: log.mine.full: `why` is missing'
has out 'wrong/r.yaml:3: log.mine.full: no test has a miss'
has out 'wrong/r.yaml:3: log.mine.full: no test is without the evidence'
has out "wrong/r.yaml:9: warning: log.mine.full: a line of test 'hit' is also log.mine.other: tell them apart, or say so in \`also\`"

# two directories, the later one wins
run 0 rules explain --rules wrong --rules good log.mine.full
has out 'good/r.yaml:3'
run 0 rules explain --rules good --rules wrong log.mine.full
has out 'wrong/r.yaml:3'

# a rule that runs away is stopped, one that writes is refused
rules endless <<'RULES'
- kind: query
  id: q.endless
  title: {en: endless, zh-CN: 无尽}
  sql: |
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
  tests:
  - {name: never, expect: {outcome: not_evaluated, reason: budget}}
- kind: signature
  id: log.endless
  title: {en: endless, zh-CN: 无尽}
  match: [{re: '^(a+)+$'}]
  effect: info
  tests:
  - {name: gives up, logs: {p.log: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'}, expect: {count: [0, 0]}}
RULES
run 0 rules test --rules endless q.endless log.endless
is "$(cat out)" '2 tests, 0 failed' 'both are stopped'
rules writes <<'RULES'
- {kind: query, id: q.x, title: {en: x}, sql: DELETE FROM main.run}
RULES
run 65 rules list --rules writes
has err 'writes/r.yaml:3:47: SQL: not authorized'
rules attaches <<'RULES'
- {kind: query, id: q.x, title: {en: x}, sql: "ATTACH 'x.db' AS x"}
RULES
run 65 rules test --rules attaches
has err 'attaches/r.yaml:3:47: SQL: not authorized'
ok "$([ ! -e x.db ]; echo $?)" 'nothing was attached'
rules loads <<'RULES'
- {kind: query, id: q.x, title: {en: x}, sql: "SELECT load_extension('x') AS n"}
RULES
run 65 rules lint --rules loads
has err 'loads/r.yaml:3:47: SQL: not authorized to use function: load_extension'
rules expression <<'RULES'
- {kind: signature, id: log.x, title: {en: x}, effect: info, match: [{re: 'a('}]}
RULES
run 65 ingest --rules expression .
has err 'expression/r.yaml:3:78: regular expression: missing closing parenthesis'
run 65 audit --rules expression .
ok "$([ ! -e report.md ]; echo $?)" 'and no report'

# ingest looks for what the rules say: logs are read again when they say something else
tiny_run run
mkdir -p run/logs
printf '2026/09/21 14:13:20 queue a full\n2026/09/21 14:13:21 queue b full\n' >run/logs/pod-0.log
run 0 ingest run
run 0 -v ingest run --rules good
has err 'tiny-1: '
ok "$(grep -q unchanged err; [ $? -eq 1 ]; echo $?)" 'other signatures: not unchanged'
run 0 sql --format csv "SELECT count(*), sum(n) FROM log_hit WHERE signature = 'log.mine.full'"
is "$(tail -n 1 out)" '2,2' 'two lines'
run 0 -v ingest run --rules good
has err 'unchanged since the last ingest'

tap_done
