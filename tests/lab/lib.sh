# shellcheck shell=bash
# tests/lab/lib.sh - what tests against real servers share, on top of tests/lib/cli.sh.
#
#	lab_need mariadb kafka      they run, or the test ends: skipped where they are not installed, failed with IMPAUDIT_LAB=require
#	lab_sql 'SELECT 1'          as root
#	lab_pause kafka             see tests/lab/lab for what can be done to a part
#
# The servers are shared and go on afterwards: a test has databases, users, topics, groups and keys of its own, brings back what it
# paused or killed, and changes no setting of a server that it does not set back.
#
# LAB_MARIADB_PORT LAB_MARIADB_SOCKET LAB_REDIS_PORT LAB_PROMETHEUS_PORT LAB_KAFKA_PORT LAB_KAFKA_LIB    set by lab_need
# LAB_PROMETHEUS_TARGETS                                                                                 folder of targets it watches
# LAB_KAFKA_SASL_PORT                                                                                    SASL/PLAIN: user audit, password
#                                                                                                        lab-audit, no rights but by ACLs

# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
export LAB_DIR=${LAB_DIR:-${top_builddir:?}/lab}
lab=$top_srcdir/tests/lab/lab

# the parts of this test that may be paused or dead when it ends
lab_hurt=()
# a test that leaves more behind has an on_exit of its own
on_exit()
{
	:
}
trap 'on_exit >/dev/null 2>&1; lab_mend; rm -rf "$work"' EXIT

# lab_need PART...
lab_need()
{
	local status said
	said=$("$lab" start "$@" 2>&1)
	status=$?
	[ -z "$said" ] || printf '# %s\n' "${said//$'\n'/$'\n'# }"
	if [ $status -eq 69 ] && [ "${IMPAUDIT_LAB-}" != require ]; then
		echo "1..0 # SKIP $(tail -n 1 <<<"$said")"
		exit 0
	elif [ $status -ne 0 ]; then
		echo "Bail out! no $*"
		exit 1
	fi
	# shellcheck source=/dev/null
	. "$LAB_DIR/env"
	# shellcheck disable=SC2034
	LAB_PROMETHEUS_TARGETS=$LAB_DIR/prometheus/targets
}

lab_pid()
{
	"$lab" pid "$1"
}

lab_pause()
{
	lab_hurt+=("$@")
	"$lab" pause "$@"
}

lab_resume()
{
	"$lab" resume "$@"
}

# Gone, when this returns.
lab_kill()
{
	lab_hurt+=("$@")
	"$lab" kill "$@"
}

# Answers, when this returns.
lab_start()
{
	"$lab" start "$@"
}

# Bring back what was paused or killed.
lab_mend()
{
	[ ${#lab_hurt[@]} -gt 0 ] || return 0
	"$lab" resume "${lab_hurt[@]}"
	"$lab" start "${lab_hurt[@]}"
	lab_hurt=()
} >/dev/null 2>&1

# lab_sql [OPTION...] SQL: as root over the socket, columns with tabs between, no header.
lab_sql()
{
	mariadb --no-defaults -S "$LAB_MARIADB_SOCKET" -u root -N -B "${@:1:$# - 1}" -e "${!#}"
}

lab_redis()
{
	redis-cli -p "$LAB_REDIS_PORT" "$@"
}

# lab_kafka CLASS ARG...: a console tool of Kafka's own, as an outside hand: lab_kafka TopicCommand --list
lab_kafka()
{
	java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$LAB_KAFKA_LIB/*" \
		"org.apache.kafka.tools.$1" --bootstrap-server "127.0.0.1:$LAB_KAFKA_PORT" "${@:2}"
}

# lab_until SECONDS COMMAND...: try until it succeeds; what a test waits for has a condition and a limit, never a fixed time.
lab_until()
{
	local end=$((SECONDS + $1))
	until "${@:2}"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
