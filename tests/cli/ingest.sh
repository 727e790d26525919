#!/bin/bash
# Ingest as a function of the directory: what is read again and what is not, what replaces what, and what must not be read at all.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# report FILE: the JSON report without what names the directory.
report()
{
	"$IMPAUDIT" report --format json "${@:2}" 2>/dev/null | grep -v '"dir"' >"$1"
}

# parsed N M: the last ingest parsed N of M files.
parsed()
{
	has err "files parsed: $1 of $2"
}

findings()
{
	query 'SELECT id FROM finding ORDER BY finding_no' | tr '\n' ' '
}

# the same directory again, a changed file, a vanished one

tiny_run run
run 0 -v ingest run
parsed 6 6
report first.json
run 0 -v ingest run
parsed 0 6
run 0 -v ingest ./run/../run/.
parsed 0 6
is "$(query 'SELECT count(*) FROM message WHERE class = '"'ok'")" 1 'one message is fine'
sed -i "s/\"m4\",\"why\":\"timeout\"/\"m4\",\"why\":\"closed\"/" run/agents/a/a.jsonl
run 0 -v ingest run
parsed 6 6
is "$(query "SELECT group_concat(why, ' ') FROM answer WHERE kind = 'fail'")" closed 'a changed file replaces its old lines'
is "$(query 'SELECT count(*) FROM attempt')" 4 'and the others are there once'
rm run/db/rows.jsonl
run 0 -v ingest run
parsed 5 5
is "$(query 'SELECT count(*) FROM db_row')" 0 'a vanished file vanishes'
is "$(findings)" 'input.vanished ' 'and the report says so'
run 0 report
has out 'db/rows.jsonl'
run 0 ingest run
is "$(findings)" 'input.vanished ' 'as long as nothing else changes'

# the order of directory entries does not matter

rm -r run impaudit.db*
tiny_run run
mkdir other
cp -r run/topics.jsonl run/db run/agents run/accounts.jsonl run/run.json other/
run 0 ingest run
report run.json
run 0 --store other.db ingest --threads 1 other
report other.json --store other.db
ok "$(cmp -s run.json other.json; echo $?)" 'a copy whose files were made in another order gives the same report'

# a run id belongs to a directory

run 65 ingest other
has err "run 'tiny-1' is in the store already"
has err '--replace'
report again.json
ok "$(cmp -s run.json again.json; echo $?)" 'the store is as it was'
run 0 -v ingest --replace other
parsed 6 6
is "$(query 'SELECT count(*) FROM run')" 1 'it took the place of the first'
is "$(findings)" '' 'whose files did not vanish'

# two runs, forget

sed -i 's/tiny-1/tiny-2/' run/run.json
run 0 ingest run
run 0 runs
is "$(grep -c '^tiny-' out)" 2 'two runs in one store'
is "$(query 'SELECT run_id FROM run')" tiny-2 'the last one is the one that is meant'
is "$(query --run tiny-1 'SELECT run_id FROM run')" tiny-1 'or the one that is named'
report second.json --run tiny-1
ok "$(cmp -s run.json second.json; echo $?)" 'neither touches the other'
run 0 forget tiny-2
run 0 runs
is "$(grep -c '^tiny-' out)" 1 'one is forgotten'
run 0 report --run tiny-1
run 66 report --run tiny-2
run 0 -v ingest run
parsed 6 6

# hashes

is "$(query "SELECT sha256 FROM file WHERE path = 'db/rows.jsonl'")" "$(sha256sum <run/db/rows.jsonl | cut -d ' ' -f 1)" \
	'every file has its hash'
run 0 -v ingest --no-hash run
parsed 6 6
is "$(query 'SELECT count(sha256) FROM file')" 0 'none with --no-hash'
run 0 -v ingest --no-hash run
parsed 0 6

# equal files

cp run/agents/b/b.jsonl run/agents/b/again.jsonl
run 0 ingest run
is "$(query "SELECT value FROM ingest_count WHERE name = 'resent'")" 5 'equal files of one agent count once'
is "$(query "SELECT value FROM figure WHERE scope = 'total' AND name = 'delivery.duplicate'")" 0 'and are no duplicates'
is "$(findings)" '' 'nor a finding'
mv run/agents/b/again.jsonl run/agents/a/
run 0 ingest run
is "$(query "SELECT value FROM ingest_count WHERE name = 'resent'")" 0 'of two agents they count twice'
is "$(findings | grep -o 'ledger.equal_files')" ledger.equal_files 'and are a finding'
rm run/agents/a/again.jsonl

# nothing outside the directory

echo '{"ev":"pub","t":1,"mid":"secret","topic":"p2p-1","from":"a1"}' >secret
ln -s ../../../secret run/agents/a/out.jsonl
ln -s "$work/secret" run/agents/a/absolute.jsonl
mv run/agents/b/b.jsonl run/kept
ln -s ../../kept run/agents/b/b.jsonl
mkfifo run/agents/a/pipe.jsonl
printf '%s  ../secret\n' "$(sha256sum <secret | cut -d ' ' -f 1)" >run/manifest.sha256
run 0 ingest run
is "$(query "SELECT count(*) FROM message WHERE mid = 'secret'")" 0 'links do not lead out of the directory'
is "$(query "SELECT count(*) FROM delivery")" 2 'but to files inside'
is "$(query "SELECT group_concat(path, ' ') FROM (SELECT path FROM file WHERE kind = 'unread' ORDER BY path)")" \
	'../secret agents/a/absolute.jsonl agents/a/out.jsonl agents/a/pipe.jsonl kept' 'what was not read is listed'
is "$(query "SELECT manifest FROM file WHERE path = '../secret'")" missing 'a manifest does not reach out either'
rm run/agents/a/*out.jsonl run/agents/a/absolute.jsonl run/agents/a/pipe.jsonl run/manifest.sha256

# a bomb

run 0 ingest run
report before.json
head -c 100M /dev/zero | gzip -9 >run/agents/a/bomb.jsonl.gz
run 65 ingest run
has err 'bomb.jsonl.gz'
rm run/agents/a/bomb.jsonl.gz
head -c 100M /dev/zero | tr '\0' '\n' | zstd -qc19 >run/agents/a/bomb.jsonl.zst
run 65 ingest run
has err 'bomb.jsonl.zst'
rm run/agents/a/bomb.jsonl.zst
report after.json
ok "$(cmp -s before.json after.json; echo $?)" 'the store is as it was'

# no run at all

mkdir -p none/agents/a
run 65 ingest none
has err "holds no ledger: not one"
echo '{"ev":"mark","t":1,"name":"x"}' >none/agents/a/l.jsonl
run 65 ingest none
run 66 ingest nowhere
run 66 ingest secret
run 0 runs
is "$(grep -c '^tiny-' out)" 2 'none of these is a run'

tap_done
