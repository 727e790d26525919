#!/bin/bash
# Logs through the program: what the store says of damaged, rotated, re-sent and zoneless ones, and that none of it fails an ingest or
# changes what the ledgers come to.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
export IMPAUDIT_STORE=s.db

# fresh: the tiny run without logs in `run`.
fresh()
{
	rm -rf run s.db*
	tiny_run run
	mkdir -p run/logs
}

# ingest NAME: `run` into a new store; it must succeed.
ingest()
{
	rm -f s.db*
	"$IMPAUDIT" -q ingest run >out 2>&1
	is "$?" 0 "$1"
}

# stamp SECONDS [FORMAT]: a time of the run, in UTC.
stamp()
{
	date -u -d "@$((t0 + $1))" +"${2:-%Y-%m-%dT%H:%M:%SZ}"
}

# What the ledgers come to, without logs.
fresh
ingest 'a run without logs'
without=$(query 'SELECT name, value FROM ingest_count ORDER BY name' | grep -v '^files,')
is "$(query 'SELECT count(*) FROM source WHERE kind = '"'log'")" 0 'has no log'

# A log that covers the load: 0 s to 3 s.
fresh
{
	echo "$(stamp -5) stderr F I Server v0.25; pid 1"
	echo "$(stamp 1) stderr P cluster: node 'two' "
	echo "$(stamp 1) stderr F not connected"
	echo "$(stamp 9) stderr F the last"
} >run/logs/im-0.log
ingest 'a CRI log'
is "$(query "SELECT name, pod, format, samples, damaged, zone, covers_load, file FROM source WHERE kind = 'log'")" \
	'im-0,im-0,cri,3,0,own,1,logs/im-0.log' 'covers the load'
is "$(query 'SELECT name, value FROM ingest_count ORDER BY name' | grep -v '^files,')" "$without" 'does not count among records'
is "$(query "SELECT lines, records, events, rejected FROM file WHERE kind = 'log'")" '4,3,3,0' 'has counts of its own'
is "$(query 'SELECT second - '"$t0"', lines FROM log_second' | tr '\n' ' ')" '-5,1 1,1 9,1 ' 'and its seconds'
is "$(query 'SELECT length(sha256) FROM file WHERE kind = '"'log'")" 64 'and its hash'
sha=$(sha256sum run/logs/im-0.log | cut -d' ' -f1)
is "$(query "SELECT sha256 FROM file WHERE kind = 'log'")" "$sha" 'which is that of the file'

# One second short at its end, and it covers no more.
sed -i '$d' run/logs/im-0.log
ingest 'a log that ends within the load'
is "$(query "SELECT covers_load FROM source WHERE kind = 'log'")" 0 'does not cover it'

# Damage: bytes of all values, half a compressed file, NULs, nothing at all.
fresh
gzip -c "$IMPAUDIT" | head -c 100000 | tail -c 99000 >run/logs/noise.log
: >run/logs/empty.log
printf '\0\0\0\0' >run/logs/nul.log
for ((i = 0; i < 3000; i++)); do echo "$(stamp 0) stdout F line $i $RANDOM$RANDOM"; done >long
gzip -c long | head -c 9000 >run/logs/cut.log.gz
printf '{"log":"torn' >run/logs/torn.log
printf '{"status":"success","data":{"resultType":"streams","result":[{"stream":{}' >run/logs/loki.log
ingest 'damaged logs'
is "$(query 'SELECT name, value FROM ingest_count ORDER BY name' | grep -v '^files,')" "$without" 'do not touch the ledgers'
is "$(query "SELECT cut, note FROM source WHERE pod = 'cut'")" '1,compressed data ends too early' 'half a compressed log is cut'
is "$(query "SELECT cut FROM file WHERE path = 'logs/cut.log.gz'")" 1 'so is its file'
is "$(query "SELECT pod, damaged FROM source WHERE pod IN ('nul', 'torn', 'loki') ORDER BY pod" | tr '\n' ' ')" 'loki,1 nul,1 torn,1 ' \
	'what is torn is counted'
is "$(query "SELECT file, line, what FROM damage WHERE file = 'logs/torn.log'")" 'logs/torn.log,1,rejected' 'and put down'
is "$(query "SELECT sum(events) + sum(rejected) = sum(records) FROM file WHERE kind = 'log'")" 1 'records are events and rejected ones'
is "$(query "SELECT samples, format, zone FROM source WHERE pod = 'empty'")" '0,text,unknown' 'an empty log is one'
is "$(query "SELECT sum(covers_load) FROM source WHERE kind = 'log'")" 0 'none of them covers the load'

# Rotated and compressed parts, one of them missing; a part sent again.
fresh
fine=%Y-%m-%dT%H:%M:%S.1Z
echo "$(stamp -9 $fine) stdout F one" >run/logs/im-0.log.4
echo "$(stamp -5 $fine) stdout F two" | gzip >run/logs/im-0.log.2.gz
echo 'not whole' >run/logs/im-0.log.2
echo 'not whole' >run/logs/im-0.log.20260101-000000.tmp
{
	echo "$(stamp -5 $fine) stdout F two"
	echo "$(stamp 9 $fine) stdout F three"
} >run/logs/im-0.log.1
echo "$(stamp 19 $fine) stdout F four" >run/logs/im-0.log
ingest 'rotated parts'
is "$(query "SELECT name, samples, resent, gaps, cut FROM source WHERE kind = 'log'")" 'im-0,4,1,1,1' \
	'are one log with a hole, and a line that came twice'
is "$(query "SELECT (last_t - first_t) / 1000000000, longest_gap_ns / 1000000000 FROM source WHERE kind = 'log'")" '28,14' \
	'in the order of time'
is "$(query "SELECT kind FROM file WHERE path LIKE '%.tmp'")" unread 'a part that is being compressed is none'

# A local time without zone: lines with mids of the run anchor it; `log_zone` wins.
fresh
{
	TZ=UTC-8 date -d "@$((t0 - 1))" +'I%Y/%m/%d %H:%M:%S Server'
	TZ=UTC-8 date -d "@$((t0 + 1))" +'I%Y/%m/%d %H:%M:%S in: {"head":{"x-im-client-mid":"m2"}}'
	TZ=UTC-8 date -d "@$((t0 + 4))" +'E%Y/%m/%d %H:%M:%S the last'
} >run/logs/im-0.log
ingest 'a log without zone'
is "$(query "SELECT zone, zone_offset_ns / 3600000000000, first_t / 1000000000 - $t0, covers_load FROM source WHERE kind = 'log'")" \
	'anchored,8,-1,1' 'is anchored by its mids'
sed -i 's/"server":/"log_zone":"+07:00","server":/' run/run.json
ingest 'the same with log_zone'
is "$(query "SELECT zone, zone_offset_ns / 3600000000000, note FROM source WHERE kind = 'log'")" \
	'log_zone,7,lines with mids of the run say +08:00, not log_zone' 'takes what is stated, and says what speaks against it'
sed -i 's/m2/x2/' run/logs/im-0.log
sed -i 's/"log_zone":"+07:00",//' run/run.json
ingest 'the same without a mid'
is "$(query "SELECT zone, first_t IS NULL, covers_load, samples FROM source WHERE kind = 'log'")" 'unknown,1,0,3' \
	'knows no time, and counts'

# The same bytes by one thread and by several.
fresh
for ((i = 0; i < 9; i++)); do
	echo "$(stamp 1) stdout F cluster: node 'two' not connected" >"run/logs/im-$i.log"
done
ingest 'many logs'
several=$(query 'SELECT * FROM log_hit ORDER BY hit_no' && query 'SELECT * FROM source ORDER BY source_no')
rm -f s.db*
"$IMPAUDIT" -q ingest --threads 1 run >out 2>&1
is "$(query 'SELECT * FROM log_hit ORDER BY hit_no' && query 'SELECT * FROM source ORDER BY source_no')" "$several" \
	'give the same whatever the number of threads'

tap_done
