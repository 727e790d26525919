# shellcheck shell=bash
# bench/mysql/lib.sh - the table that schema.sql, fill.sql and index.sql make, and the runs in it: for bench/mysql.sh and
# tests/lab/mysql-large.sh.
#
# Of the caller: table_sql [OPTION...] SQL, which prints rows without header from the database of the table.

table_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# table_build TOTAL LARGE
table_build()
{
	table_sql "$(cat "$table_here/schema.sql" "$table_here/fill.sql")" &&
		table_sql "SET time_zone = '+00:00', check_constraint_checks = 0; CALL messages_fill($1, $2)" &&
		table_sql "$(cat "$table_here/index.sql")" >/dev/null
}

# How many rows of an index or a table the server has looked at until now, those included that a condition on the index alone ruled out.
# To ask adds a dozen.
table_reads()
{
	table_sql "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name LIKE 'Handler_icp%'" |
		awk '{ n += $1 == "Handler_icp_match" ? -$2 : $2 } END { print n }'
}

# table_run DIR bench|large TOTAL LARGE: a results directory that knows the run, its topics and its time, and nothing else.
table_run()
{
	local first step n
	case $2 in
	bench) first=$(($3 * 9 / 10)) step=3 n=20000 ;;
	large) first=$(($3 / 2)) step=2 n=$4 ;;
	esac
	mkdir -p "$1"
	printf '{"format":1,"run_id":"%s","client_mid_prefix":"lt-%s-","systems":["mysql"]}\n' "$2" "$2" >"$1/run.json"
	# an id is worth 250 ms
	printf '{"load_start":%d,"load_end":%d,"drain_end":%d}\n' \
		$((1780000000000000000 + first * 250000000)) \
		$((1780000000000000000 + (first + step * (n - 1)) * 250000000)) \
		$((1780000030000000000 + (first + step * (n - 1)) * 250000000)) >"$1/timeline.json"
	{
		echo '{"topic":"grpLt","kind":"group","members":["a","b","c"]}'
		seq -f '{"topic":"p2pLt%09.0f","kind":"p2p","members":["a","b"]}' 0 999
	} >"$1/topics.jsonl"
}

# table_config SOCKET USER DATABASE WAY: the section of the configuration that finds rows by `column`, `generated` or `topic`; `json` is by
# topic too, since no index holds what is in the head.
table_config()
{
	local mid=client_mid by=mid
	case $4 in
	generated) mid=head_mid ;;
	json) mid="{column: head, path: '\$.\"x-im-client-mid\"'}" by=topic ;;
	topic) by=topic ;;
	esac
	cat <<-END
		format: 1
		mysql:
		  socket: $1
		  user: $2
		  database: $3
		  tables:
		    - {table: messages, mid: $mid, topic: topic, seq: seqid, id: id, created: createdat, by: $by}
	END
}
