#!/bin/bash
# The im-server dialect of imlab: accounts of a tenant, friends and a group over HTTP. No other server is needed.
# shellcheck source=tests/lib/imlab.sh
. "${top_srcdir:?}/tests/lib/imlab.sh"

# step NAME PORT...: api.py says so of the servers at these ports.
step()
{
	python3 "$top_srcdir/tests/lab/api.py" "${@:2}" >"$1.tap"
	ok $? "$1: $(grep -c '^ok' "$1.tap") checks hold"
	grep -A 5 '^not ok' "$1.tap" | cut -c 1-1000 | sed 's/^/# /'
}

imlab_start one-node --dialect im-server
step 'one node' "$imlab_port"
imlab_stop
imlab_cluster nodes --dialect im-server
# shellcheck disable=SC2154
step 'three nodes, asked in turn' "${imlab_ports[@]}"
tap_done
