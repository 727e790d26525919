#!/bin/bash
# When accounts were READY and on which pod, and which messages failed: the views that causes are weighed with.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# A connection is named by its `open`, cut off, refused, opened elsewhere; then a second `ready` without a line between. b1 has two `ready`
# in one nanosecond.
tiny_run run
cat >run/agents/a/a.jsonl <<-END
	{"ev":"start","t":$((t0 - 9))$ns,"agent":"a"}
	{"ev":"conn","t":$((t0 - 8))$ns,"who":"a1","state":"open","pod":"p0"}
	{"ev":"conn","t":$((t0 - 7))$ns,"who":"a1","state":"ready"}
	{"ev":"pub","t":$((t0 + 0))$ns,"mid":"m1","topic":"p2p-1","from":"a1"}
	{"ev":"ctrl","t":${t0}003000000,"mid":"m1","code":202,"seq":1}
	{"ev":"conn","t":$((t0 + 1))$ns,"who":"a1","state":"closed","code":1006,"why":"reset","pod":"p0"}
	{"ev":"skip","t":$((t0 + 2))$ns,"mid":"m2","topic":"p2p-1","from":"a1","why":"not_connected"}
	{"ev":"conn","t":$((t0 + 3))$ns,"who":"a1","state":"refused","pod":"p0"}
	{"ev":"conn","t":$((t0 + 4))$ns,"who":"a1","state":"ready","pod":"p1"}
	{"ev":"pub","t":$((t0 + 4))$ns,"mid":"m3","topic":"p2p-1","from":"a1"}
	{"ev":"fail","t":$((t0 + 6))$ns,"mid":"m3","why":"timeout"}
	{"ev":"ctrl","t":$((t0 + 8))$ns,"mid":"m3","code":202,"seq":2}
	{"ev":"conn","t":$((t0 + 9))$ns,"who":"a1","state":"ready","pod":"p2"}
	{"ev":"pub","t":$((t0 + 10))$ns,"mid":"m4","topic":"p2p-1","from":"a1"}
	{"ev":"end","t":$((t0 + 60))$ns,"agent":"a","events":13}
END
cat >run/agents/b/b.jsonl <<-END
	{"ev":"start","t":$((t0 - 9))$ns,"agent":"b"}
	{"ev":"pub","t":$((t0 - 9))$ns,"mid":"m5","topic":"p2p-1","from":"b1"}
	{"ev":"conn","t":$((t0 - 8))$ns,"who":"b1","state":"ready","pod":"p3"}
	{"ev":"conn","t":$((t0 - 8))$ns,"who":"b1","state":"ready","pod":"p4"}
	{"ev":"data","t":${t0}010000000,"mid":"m1","topic":"p2p-1","seq":1,"to":"b1"}
	{"ev":"data","t":$((t0 + 8))010000000,"mid":"m3","topic":"p2p-1","seq":2,"to":"b1"}
	{"ev":"end","t":$((t0 + 60))$ns,"agent":"b","events":6}
END
cat >run/db/rows.jsonl <<-END
	{"ev":"row","table":"messages","mid":"m1","topic":"p2p-1","seq":1,"id":"11"}
	{"ev":"row","table":"messages","mid":"m3","topic":"p2p-1","seq":2,"id":"12"}
	{"ev":"rows","t":$((t0 + 50))$ns,"table":"messages","complete":true,"count":2}
END
"$IMPAUDIT" ingest run >out 2>&1
ok $? 'ingest'
sed 's/^/# /' out

is "$(query_flat "SELECT from_t / 1000000000 - $t0, to_t / 1000000000 - $t0, pod, ended, why, code, line FROM presence WHERE account = 'a1' ORDER BY from_t")" \
	'-7,1,p0,closed,reset,1006,6 4,9,p1,ready,,,13 9,,p2,,,,13' \
	'an account is READY until its next line; a ready without a pod is on the one that was opened'
is "$(query_flat "SELECT from_t / 1000000000 - $t0, to_t, pod, line, agent FROM presence WHERE account = 'b1'")" '-8,,p4,4,b' \
	'of two at one time the later line counts'
is "$(query_flat "SELECT mid, from_t / 1000000000 - $t0, to_t / 1000000000 - $t0, sender_pod, outcome, late_ack FROM failing ORDER BY mid")" \
	'm2,2,2,p0,unsent,0 m3,4,8,p1,acked,1 m4,10,10,p2,unknown,0 m5,-9,-9,,unknown,0' \
	'what failed: from the first attempt to the last answer, on the pod where the sender was READY last'
is "$(query_flat "SELECT count(*) FROM failing WHERE mid = 'm1'")" 0 'a message that went well is none of them'

tap_done
