# shellcheck shell=bash
# tests/lib/cli.sh - what tests of the program share: TAP, the tiny run, and an empty directory, where they stand once this is sourced
# and which goes when they end. No store of the user's is looked at.
#
# IMPAUDIT      the program under test
# top_srcdir    top of the source tree, an absolute path

set -u
: "${IMPAUDIT:?}"
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"
# shellcheck source=tests/lib/tiny-run.sh
. "$top_srcdir/tests/lib/tiny-run.sh"
unset IMPAUDIT_STORE

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# run STATUS ARG...: impaudit exits so; what it printed is in `out` and `err`.
run()
{
	local want=$1 got
	shift
	timeout 300 "$IMPAUDIT" "$@" >out 2>err
	got=$?
	is "$got" "$want" "impaudit $*"
	[ "$got" -eq "$want" ] || sed 's/^/# /' err out
}

# has FILE TEXT: some line of the file holds the text.
has()
{
	grep -Fq -e "$2" "$1"
	ok $? "$1 has: $2"
}

# query ARG... SQL: its lines, columns with commas between.
query()
{
	"$IMPAUDIT" sql --format csv "$@" | sed 1d | tr -d '"\r'
}

# query_flat ARG... SQL: the same in one line, spaces between.
query_flat()
{
	query "$@" | paste -sd ' '
}
