#!/bin/bash
# Text from outside reaches neither a terminal nor a report unescaped, wherever it stands in the evidence.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# An escape sequence, a bidirectional override, HTML, a pipe, a backtick and a line feed, as JSON and as they are.
json='\u001b[31m\u202e<script>|`\n'
mid="m2$(printf '\033[31m\342\200\256<script>|`\n_')"
mid=${mid%_}

tiny_run run
hostile()
{
	printf '%s' "$json" | sed 's/[\\&/]/\\&/g'
}
sed -i "s/\"m2\"/\"m2$(hostile)\"/; s/\"p2p-1\"/\"p2p-1$(hostile)\"/; s/\"b1\"/\"b1$(hostile)\"/; s/\"timeout\"/&,\"detail\":\"$(hostile)\"/" \
	run/*.jsonl run/*/*.jsonl run/*/*/*.jsonl
sed -i "s/\"tiny-1\"/\"tiny-1$(hostile)\"/" run/run.json
printf 'torn \033[31m <script> |\n' >>run/agents/a/a.jsonl
echo 'x' >"run/$(printf 'notes\033[31m<script>|')"

# harmless FILE: no control character but the line feed, no override, no tag.
harmless()
{
	LC_ALL=C grep -Pq '[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80[\xa8-\xae]' "$1"
	is "$?" 1 "$2: no control character"
}

"$IMPAUDIT" -v ingest run >out 2>&1
is "$?" 0 'ingest'
harmless out ingest
# shows NAME ARG...: what impaudit prints is something, and harmless.
shows()
{
	local name=$1
	shift
	"$IMPAUDIT" "$@" >"$name" 2>&1
	ok "$([ -s "$name" ]; echo $?)" "$name"
	harmless "$name" "$name"
}

shows markdown report
shows json report --format json
shows gate gate
shows runs runs
shows runs-json runs --format json
shows table sql 'SELECT * FROM missing'
shows csv sql --format csv 'SELECT mid, topic FROM message'
"$IMPAUDIT" explain "$mid" >out 2>&1
is "$?" 0 'explain finds it by its true name'
harmless out explain
"$IMPAUDIT" explain "no$mid" >out 2>&1
harmless out 'a message about what is not there'

ok "$(grep -q '<script' markdown; [ $? -eq 1 ]; echo $?)" 'no tag in Markdown'
is "$(grep -c '^| .*m2\\x1b\[31m\\u{202e}\\x3cscript\\x3e\\x7c\\x60\\x0a' markdown)" 1 'the message is named in full, in one row'

tap_done
