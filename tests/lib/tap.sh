# shellcheck shell=sh
# tests/lib/tap.sh - the Test Anything Protocol for shell tests: source it, call the functions, end with `tap_done`.

tap_run=0 tap_failed=0

# ok STATUS NAME: one check; STATUS is 0 when it holds.
ok()
{
	tap_run=$((tap_run + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_run - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_run - $2"
	fi
}

# is GOT WANT NAME: two strings are the same.
is()
{
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		printf '%s\n' "got:  $1" "want: $2" | sed 's/^/# /'
	fi
}

# skip NAME REASON: one check that cannot be made here.
skip()
{
	tap_run=$((tap_run + 1))
	echo "ok $tap_run - $1 # SKIP $2"
}

tap_done()
{
	echo "1..$tap_run"
	[ "$tap_failed" -eq 0 ] && [ "$tap_run" -gt 0 ]
}
