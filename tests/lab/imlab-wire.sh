#!/bin/bash
# imlab answers as a real Tinode 0.25.3 did, frame by frame: the recordings of tests/lab/wire. No other server is needed.
# shellcheck source=tests/lib/imlab.sh
. "${top_srcdir:?}/tests/lib/imlab.sh"

for part in dialogue sessions refusals two-clients; do
	imlab_start "$part"
	python3 "$top_srcdir/tests/lab/wire.py" "$imlab_port" "$top_srcdir/tests/lab/wire" "$part" >"$part.tap"
	ok $? "$part: all $(grep -c "^ok" "$part.tap") comparisons with the recording hold"
	grep -A 5 '^not ok' "$part.tap" | sed 's/^/# /'
	imlab_stop
done
grep -q "in: '{\"hi\":{\"ver\":\"0.25\"" two-clients.log
ok $? 'frames of clients stand in the log'
grep -Eq '^I20[0-9/]{8} [0-9:]{8}\.[0-9]{6} hdl_websock\.go:205: ws: session started [A-Za-z0-9_-]{11} 127\.0\.0\.1:[0-9]+ 1$' dialogue.log
ok $? 'the first session, in the words of the server'
tap_done
