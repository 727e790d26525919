#!/bin/sh
# store-docs.sh [ROOT] - write docs/store.md to standard output, from the comments at the head of the SQL files that rule authors rely on.
#
# Such a comment is "-- NAME: text", paragraphs of text, and columns "--   NAME   meaning" whose meaning may go on in further lines.
# A view that stands in no chapter is an error.
set -eu

root=${1:-$(dirname "$0")/..}

# chapter TITLE NAME...: the tables of one chapter.
chapter()
{
	printf '\n## %s\n' "$1"
	shift
	for name; do
		file=$root/sql/view/$name.sql
		[ -e "$file" ] || file=$root/sql/store/$name.sql
		awk -v name="$name" '
			function flush_row() {
				if (column == "")
					return
				if (!rows++)
					print "\n| column | meaning |\n|---|---|"
				gsub(/\|/, "\\|", meaning)
				print "| `" column "` | " meaning " |"
				column = ""
			}
			!/^--/ { exit }
			{ sub(/^-- ?/, "") }
			NR == 1 {
				if (index($0, name ": ") != 1) {
					print FILENAME ": does not begin with \"-- " name ": \"" >"/dev/stderr"
					exit failed = 1
				}
				print "\n### `" name "`\n\n" toupper(substr($0, length(name) + 3, 1)) substr($0, length(name) + 4)
				next
			}
			/^  [a-z0-9_]+ +[^ ]/ { flush_row(); column = $1; sub(/^ +[^ ]+ +/, ""); meaning = $0; next }
			column != "" { sub(/^ +/, ""); meaning = meaning " " $0; next }
			$0 == "" { blank = 1; next }
			{ print (blank ? "\n" : "") $0; blank = 0 }
			END { flush_row(); exit failed }' "$file"
		listed="$listed $name "
	done
}

listed=
cat <<'END'
# The evidence store, for who writes rules

<!-- Made by scripts/store-docs.sh from the comments in sql/; do not edit. -->

`impaudit sql 'SELECT …'` and the SQL of rule files see the tables below: one run at a time (`--run ID`, else the one ingested last),
read-only. They keep their names, columns and meaning; the tables beneath (`main.…`, in `sql/schema/`) may change with a migration.

Times are UTC Unix nanoseconds. Numbers (`…_no`) count from 0 in an order that depends on the evidence alone. `file` and `line` lead to the
evidence itself: a path below the results directory and a line of its uncompressed text. Flags are 0 or 1; NULL is *not known* unless it says otherwise.
END
chapter 'Messages' message attempt answer failing denied_pair topic_growth ack_gap
chapter 'Deliveries' delivery missing duplicate missing_pod deaf_receiver
chapter 'Figures' figure matrix finding
chapter 'The run' run run_system run_pod run_metric expected_pod scenario mark file ingest_count damage
chapter 'Accounts and topics' account topic member conn presence abnormal_close pod_outage
chapter 'Agents' agent stretch agent_mark clock health calibration ledger_file
chapter 'Evidence that is no ledger' source
chapter 'Collected from live systems' collected server_identity
chapter 'Logs' log_signature log_hit log_second log_coverage log_silence stuck_key
chapter 'Metrics' metric_series metric_sample metric_increase queue_full route_ratio fast_stage pool_wait missing_metric build_shown
chapter 'Cluster state' kube_container kube_workload kube_event kube_usage container_series pod_life pod_load throttle_step
chapter 'Storage' db_row db_query db_check dead_letter overflow_letter repaired history history_query unread_history schema_column \
	schema_change db_status db_innodb
chapter 'Kafka and Redis' kafka_lag check_lag lag_at_check redis_info redis_increase redis_slow redis_latency
chapter 'Load tools' host_sample host_load host_excess loadgen_metric loadgen_length loadgen_contradiction

for file in "$root"/sql/view/*.sql; do
	name=$(basename "$file" .sql)
	case $listed in
	*" $name "*) ;;
	*)
		echo "store-docs.sh: $file stands in no chapter" >&2
		exit 1
		;;
	esac
done
