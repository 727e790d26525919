#!/bin/bash
# Runs in a table of two million rows: what the server looks at is bounded by the run, not by the table, and memory by neither. No
# time is asserted.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
lab_need mariadb

database=impaudit_large
total=2000000 large=200000
rss_max_kb=32768

table_sql()
{
	lab_sql -D $database "$@"
}
# shellcheck source=bench/mysql/lib.sh
. "$top_srcdir/bench/mysql/lib.sh"

trap 'lab_sql "DROP DATABASE IF EXISTS $database"; rm -rf "$work"' EXIT
lab_sql "DROP DATABASE IF EXISTS $database; CREATE DATABASE $database"
table_build $total $large || { echo 'Bail out! no table'; exit 1; }

# collect RUN WAY: into results; its lines are in rows.jsonl, what the server looked at is in `reads`, the most memory in rss.
collect()
{
	local before
	rm -rf results
	table_run results "$1" $total $large
	table_config "$LAB_MARIADB_SOCKET" root $database "$2" >config.yaml
	before=$(table_reads)
	/usr/bin/time -o rss -f %M "$IMPAUDIT" collect --config config.yaml --out results --phase final >out 2>err
	is $? 0 "collect the rows of the run $1 by $2"
	reads=$(($(table_reads) - before))
	cat results/db/check-1/rows*.jsonl >rows.jsonl
}

# same_rows RUN: the lines say what SQL says of each row.
same_rows()
{
	python3 - rows.jsonl >ours <<-'END'
		import json, sys
		for line in open(sys.argv[1], encoding="utf-8"):
		    r = json.loads(line)
		    if r["ev"] == "row":
		        print(r["table"], r["mid"], r["topic"], r["seq"], r["id"], r["created"], sep="\t")
	END
	table_sql "SELECT 'messages', client_mid, topic, seqid, id, CONCAT(REPLACE(createdat, ' ', 'T'), 'Z') FROM messages
		WHERE client_mid LIKE 'lt-$1-%'" >theirs
	cmp -s <(LC_ALL=C sort ours) <(LC_ALL=C sort theirs)
	ok $? "each of the $(wc -l <theirs) rows, and nothing else"
	is "$(grep '"ev": "rows"' rows.jsonl | grep -c '"complete": true')" 1 'which is all of them'
}

for way in column generated topic json; do
	collect bench $way
	same_rows bench
	# an entry of the index for each row, and down a topic some that are older than the run
	[ "$reads" -le 60000 ]
	ok $? "the server looked at $reads rows for 20,000 out of $total, at most 60,000"
done

# a tenth of the table, which the server may well read as a whole
collect large column
same_rows large
if ldd "$IMPAUDIT" | grep -q 'lib[a-z]*san\.'; then
	skip 'memory' 'sanitizers take more'
else
	[ "$(cat rss)" -le $rss_max_kb ]
	ok $? "in $(cat rss) KiB, at most $rss_max_kb"
fi

tap_done
