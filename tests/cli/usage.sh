#!/bin/bash
# What is wrong on the command line or with the store: message, hint and exit status.
# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"

# fails STATUS MESSAGE ARG...: it exits so, with this message first on standard error and nothing on standard output.
fails()
{
	local status=$1 message=$2 got
	shift 2
	"$IMPAUDIT" "$@" >stdout 2>stderr
	got=$?
	is "$got:$(head -n 1 stderr):$(wc -c <stdout)" "$status:impaudit: $message:0" "impaudit $*"
}

fails 64 'no command given'
fails 64 "no command 'html'" html
fails 64 "'--out DIR' is missing" collect
fails 64 "unknown option '--nope'" --nope report
fails 64 "unknown option '--nope'" report --nope
fails 64 "'--store' wants a value: FILE" report --store
fails 64 "'ingest' wants DIR..." ingest
fails 64 "'gate' takes no operand" gate x
fails 64 "'explain' wants MID" explain
fails 64 "'--limit' wants a number, not 'x'" report --limit x
fails 66 "could not open store 'impaudit.db': No such file or directory" report
fails 66 "could not open store 'other.db': No such file or directory" --store other.db gate
fails 66 "could not open store 'named.db': No such file or directory" runs --store named.db
is "$(head -n 2 stderr | tail -n 1)" "hint: 'impaudit ingest DIR' makes it; --store FILE or \$IMPAUDIT_STORE names another one" 'the hint'
IMPAUDIT_STORE=env.db fails 66 "could not open store 'env.db': No such file or directory" runs
is "$(echo *)" 'stderr stdout' 'nothing was made'

"$IMPAUDIT" --version >stdout
is "$?:$(sed 's/ [0-9.]*$/ N/' stdout)" '0:impaudit N' '--version'
for command in '' collect ingest report gate audit explain runs forget sql; do
	# The empty word is no command.
	# shellcheck disable=SC2086
	"$IMPAUDIT" $command --help >stdout 2>stderr
	is "$?:$(wc -c <stderr):$(head -n 1 stdout | cut -d ' ' -f 1-2)" '0:0:usage: impaudit' "$command --help"
done
"$IMPAUDIT" --help >/dev/full 2>stderr
is "$?" 74 'standard output that takes nothing'

echo 'this is no store' >broken.db
"$IMPAUDIT" --store broken.db report >stdout 2>stderr
is "$?" 65 'a file that is no store'
esc=$(printf '\033')
"$IMPAUDIT" --store "x${esc}[2J" report >stdout 2>stderr
ok "$(grep -q "$esc" stderr; [ $? -eq 1 ]; echo $?)" 'a message never passes an escape sequence on'

tap_done
