#!/bin/bash
# No secret of the evidence reaches the store or a report: login frames of recorded logs, and what servers wrote into ledger texts.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# A signature that finds every login frame, so that each comes near the store.
mkdir rules
cat >rules/frames.yaml <<'END'
engine: '>=1.0'
rules:
- kind: signature
  id: log.test.frame
  rev: 1
  title: {en: a login}
  why: {en: It carries a secret.}
  fix: {en: Nothing.}
  match: [{re: 'in: ''\{"(?:acc|login)":(?<subject>.{100})', on: body}]
  effect: info
  tests:
  - name: hit
    logs: {im-server-0.log: 'I2026/11/30 16:49:56.611162 session.go:453: in: ''{"login":{"scheme":"basic","secret":"YTAwMDE6c2VjcmV0LWEwMDAx","id":"l3"}}'' sid=''ZrVq4Y2Jzeo'' uid='''''}
    expect: {count: [1, 1]}
  - name: miss
    logs: {im-server-0.log: 'I2026/11/30 16:49:56.611162 hdl_websock.go:205: ws: session started x 127.0.0.1:55398 1'}
    expect: {count: [0, 0]}
  - name: absent
    logs: {}
    expect: {outcome: not_evaluated, reason: missing_source}
END

# secrets_in FILE WORDS: how many of the words, one a line, stand in it.
secrets_in()
{
	grep -oaF -f "$2" -- "$1" | sort -u | wc -l
}

# audit NAME: into NAME.db, with reports; nothing that comes out holds a line of NAME.secrets.
audit()
{
	local file status
	"$IMPAUDIT" audit --store "$1.db" --rules rules "$1" >"$1.out" 2>&1
	status=$?
	[ "$status" -le 3 ]
	ok $? "$1: audited"
	[ "$status" -le 3 ] || sed 's/^/# /' "$1.out"
	for file in "$1".db* "$1.out" "$1"/report.*; do
		is "$(secrets_in "$file" "$1.secrets")" 0 "${file##*/} of $1: no secret"
	done
}

for run in tinode-403 tinode-killed tinode-overload; do
	cp -R "$top_srcdir/fixtures/recorded/$run" "$run"
	chmod -R u+w "$run"
	gzip -dc "$run"/logs/*.gz | sed -n 's/.*"secret":"\([^"]*\)".*/\1/p' | sort -u >"$run.secrets"
	[ "$(wc -l <"$run.secrets")" -ge 40 ]
	ok $? "$run: logs with $(wc -l <"$run.secrets") secrets"
	audit "$run"
	[ "$(query --store "$run.db" "SELECT sum(n) FROM log_hit WHERE signature = 'log.test.frame'")" -ge 40 ]
	ok $? "$run: their frames are hits"
	is "$(query --store "$run.db" "SELECT count(*) FROM log_hit WHERE signature = 'log.test.frame' AND
		text LIKE '%\"secret\":%' AND text NOT LIKE '%\"secret\":\"[redacted]\",\"%'")" 0 "$run: what stands around stays"
done

# What servers say of themselves in ledgers.
tiny_run tiny
printf '%s\n' Zq9aaaa Zq9bbbb Zq9cccc Zq9dddd >tiny.secrets
sed -i 's/"why":"timeout"/&,"detail":"Authorization: Bearer Zq9aaaa"/' tiny/agents/a/a.jsonl
sed -i -e "2a{\"ev\":\"conn\",\"t\":$((t0 - 7))$ns,\"who\":\"b1\",\"state\":\"closed\",\"why\":\"?apikey=Zq9bbbb 403\"}" \
	-e "2a{\"ev\":\"conn\",\"t\":$((t0 - 6))$ns,\"who\":\"b1\",\"state\":\"ready\"}" -e 's/"events":4/"events":6/' tiny/agents/b/b.jsonl
cat >>tiny/db/rows.jsonl <<END
{"ev":"dead","t":$((t0 + 5))$ns,"mid":"m4","error":"dial im:Zq9cccc@tcp(db:3306)/im refused"}
{"ev":"rows","t":$((t0 + 51))$ns,"table":"messages","complete":true,"count":2,"query":"SELECT 1 -- password=Zq9dddd"}
END
is "$(cat tiny/agents/*/*.jsonl tiny/db/*.jsonl | grep -oF -f tiny.secrets | sort -u | wc -l)" 4 'planted'
audit tiny
is "$(query --store tiny.db "SELECT count(*) FROM answer WHERE text = 'Authorization: Bearer [redacted]'")" 1 'detail of a fail'
is "$(query --store tiny.db "SELECT count(*) FROM conn WHERE why = '?apikey=[redacted] 403'")" 1 'why of a connection'
is "$(query --store tiny.db "SELECT count(*) FROM dead_letter WHERE error = 'dial im:[redacted]@tcp(db:3306)/im refused'")" 1 'error of a letter'
is "$(query --store tiny.db "SELECT count(*) FROM db_query WHERE query = 'SELECT 1 -- password=[redacted]'")" 1 'text of a query'
tap_done
