# shellcheck shell=bash
# tests/lib/imlab.sh - the lab server in a test: an empty directory to stand in, servers that end with it.
#
#	imlab_start NAME [OPTION...]   it listens when this returns: its port is $imlab_port, its log NAME.log, its process $imlab_pid
#	imlab_cluster NAME [OPTION...] three nodes NAME-0 to NAME-2 that know each other: ${imlab_ports[@]}, ${imlab_nodes[@]} (processes)
#	imlab_tables DATABASE [TENANT] made anew in the MariaDB of tests/lab/lib.sh; with a tenant also those behind Kafka, and its topics, empty
#	imlab_consume DATABASE TENANT  the consumers from Kafka into these tables, until the test ends
#	imlab_stop                     the one started last, which is a check

# A test that stands in an empty directory already stays there, and ends the servers itself.

set -u
imlab=${top_builddir:?}/tests/lab/imlab/imlab
imlab_pids=()
if [ -z "${work-}" ]; then
	# shellcheck source=tests/lib/tap.sh
	. "${top_srcdir:?}/tests/lib/tap.sh"
	work=$(mktemp -d) || exit 1
	trap 'kill "${imlab_pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	cd "$work" || exit 1
fi

imlab_start()
{
	local name=$1 waited=0
	shift
	rm -f "$name.port"
	"$imlab" --port-file "$name.port" --log "$name.log" "$@" 2>"$name.err" &
	imlab_pid=$!
	imlab_pids+=("$imlab_pid")
	while [ ! -s "$name.port" ]; do
		sleep 0.05
		waited=$((waited + 1))
		if [ $waited -gt 200 ] || ! kill -0 "$imlab_pid" 2>/dev/null; then
			sed 's/^/# /' "$name.err"
			echo "Bail out! imlab does not start"
			exit 1
		fi
	done
	# shellcheck disable=SC2034
	imlab_port=$(<"$name.port")
}

imlab_stop()
{
	kill "$imlab_pid"
	wait "$imlab_pid"
	is $? 0 'imlab ends in good order'
}

# free_ports N: so many, nobody has them now
free_ports()
{
	python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))' "$1"
}

imlab_cluster()
{
	local name=$1 ports nodes i
	shift
	read -ra ports <<<"$(free_ports 3)"
	nodes="one=127.0.0.1:${ports[0]},two=127.0.0.1:${ports[1]},three=127.0.0.1:${ports[2]}"
	imlab_ports=() imlab_nodes=()
	for i in 0 1 2; do
		imlab_start "$name-$i" --cluster "$nodes" --name "$(cut -d= -f1 <<<"$(cut -d, -f$((i + 1)) <<<"$nodes")")" "$@"
		imlab_ports+=("$imlab_port")
		# shellcheck disable=SC2034
		imlab_nodes+=("$imlab_pid")
	done
	for ((i = 0; i < 200; i++)); do
		[ "$(cat "$name"-[012].log | grep -c 'cluster: connected to')" -lt 6 ] || return 0
		sleep 0.05
	done
	echo 'Bail out! the nodes of imlab do not find each other'
	exit 1
}

# The tables of a tenant: of p2p messages, and of the group messages of this month
imlab_p2p_table()
{
	printf 'im_%03d_messages' "$1"
}

imlab_group_table()
{
	printf 'im_%03d_group_messages_%s' "$1" "$(date -u +%Y%m)"
}

imlab_sql()
{
	mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root -N "$@"
}

imlab_tables()
{
	local p2p group topic
	imlab_sql -e "DROP DATABASE IF EXISTS $1; CREATE DATABASE $1" &&
		imlab_sql "$1" <"$top_srcdir/tests/lab/imlab/schema.sql" || return
	[ $# -gt 1 ] || return 0
	p2p=$(imlab_p2p_table "$2") group=$(imlab_group_table "$2")
	sed "s/im_008_messages/$p2p/g; s/id int NOT NULL/id bigint NOT NULL/" "$top_srcdir/tests/lab/im.sql" | imlab_sql "$1" &&
		imlab_sql "$1" -e "CREATE TABLE $group LIKE $p2p" || return
	# what other tests left there is none of this one's
	for topic in im.message.persist im.group.message.persist; do
		lab_kafka TopicCommand --delete --if-exists --topic "$topic" >/dev/null
		lab_until 20 lab_kafka TopicCommand --create --topic "$topic" --partitions 3 >/dev/null || return
	done
}

imlab_consume()
{
	local topic table
	for topic in im.message.persist im.group.message.persist; do
		table=$(imlab_p2p_table "$2")
		[ "$topic" = im.message.persist ] || table=$(imlab_group_table "$2")
		"$top_builddir/tests/lab/pipe" consume --brokers "127.0.0.1:$LAB_KAFKA_PORT" --socket "$LAB_MARIADB_SOCKET" --database "$1" --follow \
			--topic "$topic" --group "$1-$topic" --table "$table" >"$topic.out" 2>&1 &
		imlab_pids+=($!)
	done
}
