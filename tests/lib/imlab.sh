# shellcheck shell=bash
# tests/lib/imlab.sh - the lab server in a test: an empty directory to stand in, servers that end with it.
#
#	imlab_start NAME [OPTION...]   it listens when this returns: its port is $imlab_port, its log NAME.log, its process $imlab_pid
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
