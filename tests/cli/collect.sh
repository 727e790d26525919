#!/bin/bash
# impaudit collect without a server: its options, what a broken configuration is told, secrets, and systems that nobody can reach.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# refused STATUS MESSAGE ARG...: it exits so, with this message and nothing else on standard error but a hint.
refused()
{
	local status=$1 message=$2
	shift 2
	run "$status" "$@"
	is "$(head -n 1 err)" "impaudit: $message" "it says so"
	is "$(wc -c <out)" 0 'and prints nothing'
}

# config TEXT...: the lines of impaudit.yaml.
config()
{
	printf '%s\n' "$@" >impaudit.yaml
}

# Nothing listens at port 1 of this machine.
config 'format: 1' 'tries: 1' 'timeout: 2s' 'redis: {name: gone, address: "127.0.0.1:1"}'

# options
refused 64 "'--out DIR' is missing" collect
refused 64 "'collect' takes no operand" collect results
refused 64 "unknown phase 'drian': did you mean 'drain'?" collect --out results --phase drian
refused 64 "'--every' wants a length of time such as 250ms, 5s, 2m, 1h (1ms to 24h), not '5'" collect --out results --every 5
refused 64 "the final phase is no interval: it ends when all is collected" collect --out results --phase final --every 5s
refused 64 "an end of sampling without an interval" collect --out results --until load_end
refused 64 "'load' is no mark" collect --out results --every 5s --until load
refused 64 "the configuration has no section 'kafka'" collect --out results --only kafka
refused 64 "no system is left to be asked" collect --out results --skip redis
ok "$([ ! -e results ]; echo $?)" 'no directory was made'

# the configuration
refused 66 "could not open the configuration 'other.yaml': No such file or directory" collect --out results --config other.yaml
IMPAUDIT_CONFIG=named.yaml refused 66 "could not open the configuration 'named.yaml': No such file or directory" collect --out results
config 'format: 1' 'reddis: {}'
refused 65 "impaudit.yaml:2:1: unknown key 'reddis': did you mean 'redis'?" collect --out results
config 'redis: {address: "127.0.0.1:1"}'
refused 65 "impaudit.yaml:1:1: key 'format' is missing" collect --out results
config 'format: 1' 'redis: [{address: "127.0.0.1:1"}]'
refused 65 "impaudit.yaml:2:9: key 'name' is missing: it tells the maps of a list apart" collect --out results
config 'format: 1' 'tries: 0' 'redis: {address: "127.0.0.1:1"}'
refused 65 "impaudit.yaml:2:8: '0' is not a number from 1 to 20" collect --out results
config 'format: 1' 'redis: {address: "127.0.0.1:1"' 'x: }'
run 65 collect --out results
ok "$([ ! -e results ]; echo $?)" 'no directory was made'

# secrets
config 'format: 1' 'redis: {address: "127.0.0.1:1", password: geheim}'
refused 65 'impaudit.yaml:2:43: a secret does not stand in the configuration' collect --out results
config 'format: 1' 'redis: {address: "127.0.0.1:1", password: {env: IMPAUDIT_TEST_SECRET}}'
refused 65 "impaudit.yaml:2:49: the environment has no 'IMPAUDIT_TEST_SECRET'" collect --out results
config 'format: 1' 'tries: 1' 'redis: {address: "127.0.0.1:1", password: {file: secret}}'
echo geheim >secret
chmod 644 secret
refused 65 "impaudit.yaml:3:50: others may read or write 'secret' (mode 0644)" collect --out results
has err "hint: chmod 600 'secret'"
chmod 600 secret
run 69 collect --out results
ok "$(grep -rq geheim results out err; [ $? -eq 1 ]; echo $?)" 'a secret is nowhere to be read'
rm -r results

# a system that nobody can reach
config 'format: 1' 'tries: 2' 'pause: 1ms' 'timeout: 2s' 'redis: [{name: one, address: "127.0.0.1:1"}, {name: two, address: "127.0.0.1:1"}]'
run 69 collect --out results --phase baseline
is "$(cut -d , -f 1 out | paste -sd ' ')" 'redis one: INCOMPLETE redis two: INCOMPLETE' 'each was asked'
has err 'impaudit: redis one: '
is "$(find results -type f -path '*/collect/*' | wc -l)" 1 'a journal'
is "$(cat results/collect/*.jsonl | grep -c '"status": "unreachable"')" 2 'with a line for each'
(cd results && sha256sum -c --quiet manifest.sha256)
ok $? 'the manifest holds'
run 69 collect --check
is "$(cut -d , -f 1 out | paste -sd ' ')" 'redis one: INCOMPLETE redis two: INCOMPLETE' 'a dry run'
run 69 collect --out results --only redis --phase final
has err 'next: impaudit audit results'

# directories that cannot be written
: >file
refused 73 "could not open the results directory 'file': Not a directory" collect --out file
mkdir trap
ln -s /tmp trap/collect
refused 73 "could not open the folder 'trap/collect': Invalid cross-device link" collect --out trap --phase baseline
mkdir broken
echo '{' >broken/run.json
refused 65 "'run.json' is no JSON object" collect --out broken

# told to stop while it samples
config 'format: 1' 'tries: 1' 'redis: {address: "127.0.0.1:1"}'
"$IMPAUDIT" collect --out sampled --every 1h >out 2>err &
pid=$!
for _ in $(seq 100); do
	[ -n "$(find sampled -name '*.jsonl' -size +0 2>/dev/null)" ] && break
	sleep 0.1
done
kill -TERM "$pid"
wait "$pid"
is $? 69 'a system that could not be reached, and the end of the samples'
(cd sampled && sha256sum -c --quiet manifest.sha256)
ok $? 'ended well'

# the example
cat >kubeconfig <<'EOT'
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: none}}]
EOT
chmod 600 kubeconfig
export KUBECONFIG=$PWD/kubeconfig
grep -o 'env: [A-Z_]*' "$top_srcdir/docs/impaudit.example.yaml" | sort -u >names
while read -r _ name; do
	export "$name=none"
done <names
refused 64 "the configuration has no section 'nothing'" collect --check --only nothing --config "$top_srcdir/docs/impaudit.example.yaml"
for system in mysql kafka redis prometheus kubernetes; do
	has "$top_srcdir/docs/impaudit.example.yaml" "$system:"
	has "$top_srcdir/docs/collect.md" "\`$system\`"
done

tap_done
