#!/bin/bash
# The im-server dialect of imlab: accounts of a tenant, friends and a group over HTTP. No other server is needed.
# shellcheck source=tests/lib/imlab.sh
. "${top_srcdir:?}/tests/lib/imlab.sh"

imlab_start api --dialect im-server
# shellcheck disable=SC2154
python3 "$top_srcdir/tests/lab/api.py" "$imlab_port"
