#!/bin/bash
# Redis: INFO, SLOWLOG, LATENCY over every kind of connection and account; no secret is told, no key is looked at.
# shellcheck source=tests/lab/lib.sh
. "${top_srcdir:?}/tests/lab/lib.sh"
# shellcheck source=tests/lib/tls.sh
. "$top_srcdir/tests/lib/tls.sh"
lab_need redis

# A server of its own, with what a shared one should not have: passwords, TLS, settings.
make_ca authority
make_ca stranger
make_cert server authority DNS:localhost
make_cert client authority DNS:client
begin_server()
{
	local end=$((SECONDS + 10))
	port=$((20000 + RANDOM % 6000 * 2))
	redis-server --port $port --tls-port $((port + 1)) --bind 127.0.0.1 --save '' --dir "$work" --unixsocket "$work/s.sock" \
		--tls-ca-cert-file authority.crt --tls-cert-file server.crt --tls-key-file server.key \
		--latency-monitor-threshold 1 --slowlog-log-slower-than 0 --enable-debug-command local >server.log &
	server=$!
	until admin PING >said 2>&1 && [ -S s.sock ]; do
		kill -0 $server 2>/dev/null && [ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
admin()
{
	redis-cli -p $port "$@"
}
begin_server || begin_server || begin_server || { echo 'Bail out! no server'; exit 1; }
trap 'kill -CONT $server; kill $server; lab_mend; rm -rf "$work"' EXIT
tls_port=$((port + 1))

admin ACL SETUSER audit on '>audit-geheim' resetkeys resetchannels -@all +info '+slowlog|get' '+latency|latest' '+latency|history' +role >said
admin ACL SETUSER few on '>few-geheim' -@all +role >said
export T_AUDIT=audit-geheim T_FEW=few-geheim T_WRONG=wrong-geheim

# config NAME LINE...: an instance
config()
{
	printf 'format: 1\ntimeout: 1s\ntries: 2\nredis:\n  name: r\n' >"$1.yaml"
	printf '  %s\n' "${@:2}" >>"$1.yaml"
	mkdir "$1"
}

# journal NAME TEXT: some line has it
journal()
{
	grep -hqF -- "$2" "$1"/collect/*.jsonl
	ok $? "$1: $2"
}

# events that leave something to see, and secrets that must not be seen
admin DEBUG SLEEP 0.05 >said
admin AUTH few slowlog-geheim >said 2>&1
admin CONFIG SET requirepass '' >said
admin EVAL 'return redis.call("SET", KEYS[1], ARGV[1])' 1 lab:token-"$$" 'password=eval-geheim' >said

# the least rights, and what the server says of what was asked
admin ACL LOG RESET >said
admin CONFIG RESETSTAT >said
config least "address: 127.0.0.1:$port" 'user: audit' 'password: {env: T_AUDIT}'
run 0 collect --config least.yaml --out least --phase final
is "$(admin INFO commandstats | sed -n 's/^cmdstat_\([^:]*\):.*/\1/p' | sort | paste -sd ' ')" \
	'auth config|resetstat info latency|history latency|latest role slowlog|get' 'no other command was sent'
is "$(admin ACL LOG | wc -w)" 0 'nothing of it was forbidden'
has least/redis/r@drain_end.info 'redis_version:7'
has least/redis/r@drain_end.info '# Commandstats'
python3 - least/redis/r-latency@drain_end.json <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["latency"]
(command,) = [e for e in events if e["event"] == "command"]
assert 50 <= command["max_ms"] < 5000 and command["time"] > 1700000000, command
assert [command["time"], command["latest_ms"]] == command["history"][-1], command
END
ok $? 'LATENCY has the 50 ms of DEBUG SLEEP, with its history'
python3 - least/redis/r-slowlog@drain_end.json <<'END'
import json, sys
entries = json.load(open(sys.argv[1]))
assert all(len(e) == 6 and isinstance(e[2], int) for e in entries), entries
(sleep,) = [e for e in entries if e[3][:2] == ["DEBUG", "SLEEP"]]
assert sleep[2] >= 50000, sleep
assert any(e[3][:2] == ["CONFIG", "SET"] for e in entries), entries
END
ok $? 'SLOWLOG has it too'
! grep -rq geheim least out err
ok $? 'no secret anywhere'
run_id=$(admin INFO server | tr -d '\r' | sed -n 's/^run_id://p')
journal least "\"id\": \"$run_id\", \"role\": \"primary\""

# the same over a socket and TLS; as many entries as were asked for are no end
config socket "socket: $work/s.sock" 'slowlog: 2'
run 0 collect --config socket.yaml --out socket
journal socket '"status": "limited", "why": "as many entries as were asked for (slowlog)"'
config tls "address: localhost:$tls_port" 'tls: {ca: authority.crt, cert: client.crt, key: client.key}'
run 0 collect --config tls.yaml --out tls
journal tls "\"id\": \"$run_id\""

# a certificate of somebody else, for another name, and none at all
config stranger "address: localhost:$tls_port" 'tls: {ca: stranger.crt, cert: client.crt, key: client.key}'
run 69 collect --config stranger.yaml --out stranger
has err 'certificate is not accepted: self-signed certificate in certificate chain'
config name "address: 127.0.0.1:$tls_port" 'tls: {ca: authority.crt, cert: client.crt, key: client.key}'
run 69 collect --config name.yaml --out name
has err 'certificate is not accepted: IP address mismatch'
config bare "address: localhost:$tls_port" 'tls: {ca: authority.crt}'
run 69 collect --config bare.yaml --out bare
has err "redis 'r' at localhost:$tls_port"
config plain "address: localhost:$tls_port"
run 69 collect --config plain.yaml --out plain

# accounts: some rights missing, another password
config few "address: localhost:$port" 'user: few' 'password: {env: T_FEW}'
run 0 collect --config few.yaml --out few
journal few '"status": "denied", "why": "+slowlog|get: NOPERM'
journal few '"status": "denied", "why": "+latency|latest: NOPERM'
journal few '"status": "denied", "why": "+info: NOPERM'
[ ! -e few/redis ]
ok $? 'no file claims that there was nothing'
config wrong "address: localhost:$port" 'user: audit' 'password: {env: T_WRONG}'
run 69 collect --config wrong.yaml --out wrong
has err 'the user or password is refused (WRONGPASS)'
! grep -rq geheim few wrong out err
ok $? 'no secret is told'

# commands that a managed variant has renamed: AUTH too, whose arguments the server then repeats
managed()
{
	redis-server --port 0 --unixsocket "$work/m.sock" --save '' --dir "$work" --rename-command "$1" '' >managed.log &
	managed=$!
	lab_until 10 redis-cli -s m.sock PING >said 2>&1
}
config managed "socket: $work/m.sock"
managed SLOWLOG
run 0 collect --config managed.yaml --out managed
journal managed "\"status\": \"denied\", \"why\": \"+slowlog|get: ERR unknown command 'SLOWLOG'"
[ -e managed/redis ] && [ -z "$(find managed/redis -name '*slowlog*')" ]
ok $? 'the rest is there'
kill $managed
wait $managed
config noauth "socket: $work/m.sock" 'password: {env: T_WRONG}'
managed AUTH
run 69 collect --config noauth.yaml --out noauth
has err 'the user or password is refused (ERR)'
! grep -rq geheim noauth out err
ok $? 'the repeated password is not'
kill $managed

# samples: INFO alone; a server that hangs is not there, and is again
config samples "address: 127.0.0.1:$port"
"$IMPAUDIT" collect --config samples.yaml --out samples --phase load --every 100ms >out 2>err &
collector=$!
three_files()
{
	[ "$(find samples/redis -name '*.info' 2>/dev/null | wc -l)" -ge 3 ]
}
lab_until 10 three_files
ok $? 'samples'
kill $collector
wait $collector
is $? 0 'end well when told to'
is "$(find samples/redis -name '*.json' | wc -l)" 2 'SLOWLOG and LATENCY are of the phase alone'
kill -STOP $server
config hung "address: 127.0.0.1:$port"
run 69 collect --config hung.yaml --out hung
has err 'no answer in time'
(
	sleep 0.5
	kill -CONT $server
) &
config back "address: 127.0.0.1:$port"
run 0 collect --config back.yaml --out back
config nobody 'address: 127.0.0.1:1'
run 69 collect --config nobody.yaml --out nobody
has err 'Connection refused'
tap_done
