#!/bin/bash
# Three nodes of imlab: topics on all of them, one killed, stopped, back again. No other server is needed.
# shellcheck source=tests/lib/imlab.sh
. "${top_srcdir:?}/tests/lib/imlab.sh"
# shellcheck disable=SC2154
python3 "$top_srcdir/tests/lab/cluster.py" "$work" "$imlab"
