# shellcheck shell=bash
# tests/fault/lib.sh - what the fault tests share, on top of tests/lib/cli.sh.
#
# top_builddir  top of the build tree, where tests/fault/inject.so lies
# TMPDIR        where the work is done: some 100 MB

# shellcheck source=tests/lib/cli.sh
. "${top_srcdir:?}/tests/lib/cli.sh"
impaudit=${IMPAUDIT:?} fault_dir=$top_srcdir/tests/fault inject=${top_builddir:?}/tests/fault/inject.so

# make_load DIR DELIVERIES RUN_ID
make_load()
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$fault_dir/load.py" "$@" || exit 1
}

# with_fault KIND CALL WHAT CODE COMMAND...: see inject.c.
with_fault()
{
	local kind=$1 call=$2 what=$3 code=$4
	shift 4
	FAULT_KIND=$kind FAULT_AT=$call FAULT_DO=$what FAULT_CODE=$code LD_PRELOAD=$inject "$@"
}

# calls_of KIND COMMAND...: how many calls of the kind it makes.
calls_of()
{
	local kind=$1
	shift
	FAULT_COUNT=$work/counts LD_PRELOAD=$inject "$@" >/dev/null 2>&1
	sed -n "s/^$kind //p" "$work/counts"
}

# hold KIND CALL COMMAND...: start it and let it stop before that call; `held` is its process, held.out and held.err its output.
hold()
{
	local state
	# what a script starts in the background ignores SIGINT, unless env gives it back
	env --default-signal FAULT_KIND="$1" FAULT_AT="$2" FAULT_DO=stop LD_PRELOAD="$inject" "${@:3}" >held.out 2>held.err &
	held=$!
	until state=$(ps -o stat= -p "$held") && [ "${state:0:1}" = T ]; do
		[ -n "$state" ] && [ "${state:0:1}" != Z ] || return 1
		sleep 0.02
	done
}

# Skip all where the program takes no preloaded library, as with sanitizers.
need_inject()
{
	[ -z "$(LD_PRELOAD=$inject "$impaudit" --version 2>&1 >/dev/null)" ] && return
	echo '1..0 # SKIP this build takes no preloaded library'
	exit 0
}

# is_hot STORE: was a transaction under way when its writer died?
is_hot()
{
	[ -s "$1-journal" ]
}

# remove_store STORE
remove_store()
{
	rm -f "$1" "$1-journal"
}

# same_report STORE FILE [RUN]: is the report of the store's run that one?
same_report()
{
	"$impaudit" report -q --store "$1" ${3:+--run "$3"} >"$work/report" 2>"$work/said" && cmp -s "$work/report" "$2"
}

# complains STATUS WANTED TEXT NAME: the last command's exit status and its one message, in file `said`, are right.
complains()
{
	local good=1
	[ "$1" -eq "$2" ] && [ "$(grep -c '^impaudit: ' said)" -eq 1 ] && grep -Fq -e "$3" said && good=0
	ok "$good" "$4"
	[ "$good" -eq 0 ] || sed "s/^/# exit $1: /" said
}
