# shellcheck shell=bash
# tests/lib/tiny-run.sh - the smallest run that has something to say.
#
# tiny_run DIR: four p2p messages from a1 (agent a) to b1 (agent b), a second apart. m1 is fine: acked after 3 ms with seq 1, at b1
# after 10 ms, stored. m2 is acked and stored, but b1 never gets it although connected. m3 is acked, delivered and in no table
# although the look-up was complete. m4 gets no answer, and is seen and stored nowhere.

# One second after the start is $((t0 + s)).
t0=1790000000
ns=000000000

tiny_plan()
{
	cat >"$1/run.json" <<-END
		{"format":1,"run_id":"tiny-1","scenarios":[{"id":"s1","kind":"p2p","planned_messages":4,"drain_s":30}],
		 "planned_accounts":2,"agents":["a","b"],"client_mid_prefix":"m","server":"tinode","systems":["mysql"]}
	END
	cat >"$1/accounts.jsonl" <<-END
		{"account":"a1","agent":"a"}
		{"account":"b1","agent":"b"}
	END
	echo '{"topic":"p2p-1","kind":"p2p","members":["a1","b1"]}' >"$1/topics.jsonl"
}

tiny_ledgers()
{
	cat >"$1/agents/a/a.jsonl" <<-END
		{"ev":"start","t":$((t0 - 9))$ns,"agent":"a"}
		{"ev":"conn","t":$((t0 - 8))$ns,"who":"a1","state":"ready"}
		{"ev":"pub","t":$((t0 + 0))$ns,"mid":"m1","topic":"p2p-1","from":"a1","try":1}
		{"ev":"ctrl","t":${t0}003000000,"mid":"m1","code":202,"seq":1}
		{"ev":"pub","t":$((t0 + 1))$ns,"mid":"m2","topic":"p2p-1","from":"a1"}
		{"ev":"ctrl","t":$((t0 + 1))004000000,"mid":"m2","code":202,"seq":2}
		{"ev":"pub","t":$((t0 + 2))$ns,"mid":"m3","topic":"p2p-1","from":"a1"}
		{"ev":"ctrl","t":$((t0 + 2))005000000,"mid":"m3","code":202,"seq":3}
		{"ev":"pub","t":$((t0 + 3))$ns,"mid":"m4","topic":"p2p-1","from":"a1"}
		{"ev":"fail","t":$((t0 + 23))$ns,"mid":"m4","why":"timeout"}
		{"ev":"end","t":$((t0 + 60))$ns,"agent":"a","events":10}
	END
	cat >"$1/agents/b/b.jsonl" <<-END
		{"ev":"start","t":$((t0 - 9))$ns,"agent":"b"}
		{"ev":"conn","t":$((t0 - 8))$ns,"who":"b1","state":"ready"}
		{"ev":"data","t":${t0}010000000,"mid":"m1","topic":"p2p-1","seq":1,"to":"b1"}
		{"ev":"data","t":$((t0 + 2))010000000,"mid":"m3","topic":"p2p-1","seq":3,"to":"b1"}
		{"ev":"end","t":$((t0 + 60))$ns,"agent":"b","events":4}
	END
}

tiny_run()
{
	mkdir -p "$1/agents/a" "$1/agents/b" "$1/db"
	tiny_plan "$1"
	tiny_ledgers "$1"
	cat >"$1/db/rows.jsonl" <<-END
		{"ev":"row","table":"messages","mid":"m1","topic":"p2p-1","seq":1,"id":"11"}
		{"ev":"row","table":"messages","mid":"m2","topic":"p2p-1","seq":2,"id":"12"}
		{"ev":"rows","t":$((t0 + 50))$ns,"table":"messages","complete":true,"count":2}
	END
}
