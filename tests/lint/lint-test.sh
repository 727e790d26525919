#!/bin/bash
# Every check of scripts/lint can fail: a sample with one fault gives one complaint at its line, its sound twin gives none.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try CHECK FILE TEXT: what CHECK says about a tree that holds FILE with TEXT alone.
try()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/$(dirname "$2")"
	printf '%b' "$3" >"$work/tree/$2"
	: >"$work/config.h"
	(cd "$work/tree" && LINT_CPPFLAGS="-I$work" sh "$top_srcdir/scripts/lint/$1.sh" 2>"$work/stderr")
}

# complains CHECK FILE TEXT WANT: the one complaint of CHECK begins with FILE:WANT.
complains()
{
	local got
	got=$(try "$1" "$2" "$3")
	if grep -q 'left out' "$work/stderr"; then
		skip "$1 refuses: $4" "$(<"$work/stderr")"
	else
		is "${got:0:$((${#2} + 1 + ${#4}))}/$(wc -l <<<"$got")" "$2:$4/1" "$1 refuses: $4"
	fi
}

# accepts CHECK FILE TEXT NAME: CHECK says nothing.
accepts()
{
	is "$(try "$1" "$2" "$3")" '' "$1 accepts $4"
}

config='#include "config.h"\n'

complains includes src/base/a.c "$config"'#include "store/store.h"\n' '2: base must not include store'
complains includes src/ingest/a.c "$config"'#include "rules_gen.h"\n' '2: ingest must not include rules'
complains includes src/agent/a.c "$config"'#include "store/store.h"\n' '2: agent must not include store'
complains includes src/cmd/a.c "$config"'#include "agent/loop.h"\n' '2: cmd must not include agent'
complains includes src/base/a.c '#include <stdio.h>\n' '1: the first include must be "config.h"'
complains includes src/base/a.c "$config"'#include "a.h"\n' '2: include "a.h" as "LAYER/NAME.h"'
complains includes src/report/a.h '#include <hiredis/hiredis.h>\n' '1: <hiredis/hiredis.h> belongs to src/collect'
complains includes src/misc/a.h '\n' '1: "misc" is not a layer'
accepts includes src/rules/a.c "$config"'#include "rules/a.h"\n#include <stdio.h>\n#include "base/err.h"\n#include "sql_gen.h"\n' 'own and lower layers'

complains banned src/base/a.c '\n\nvoid f(char *a) { strcpy (a, ""); }\n' '3: strcpy() is banned'
complains banned tests/unit/t-a.c 'int n = atoi("1");\n' '1: atoi() is banned'
accepts banned src/base/a.c '/* strcpy(a, b) */ // atoi(a)\nchar *s = "\\"sprintf(";\nsnprintf(a); gmtime_r(a); x->system(1);\n' \
	'comments, strings and safe calls'

complains output src/store/a.c 'void f(void)\n{\n\texit(1);\n}\n' '3: exit() belongs to src/cmd'
complains output src/store/a.c '\tfputs(s, stderr);\n' '1: stderr belongs to src/cmd'
accepts output src/cmd/a.c '\tprintf("x");\n\texit(1);\n' 'a command that prints'
accepts output src/base/a.c '\tsnprintf(s, n, "stdout");\n\tfprintf(out, "x");\n' 'output to what was given'

complains sql src/store/a.c '\nq = "SELECT a FROM b";\n' '2: SQL text belongs to sql/'
complains sql src/store/a.c 'q = x ? "" : "COMMIT";\n' '1: SQL text belongs to sql/'
accepts sql src/store/a.c '/* "SELECT a" */\n#include "DROP it.h"\nm = "could not UPDATE";\nn = "ENDED";\n' 'text that is no SQL'

complains headers src/base/a.h '#pragma once\nsize_t f(void);\n' "2"
complains headers src/base/a.h 'struct a { int b; };\n' "1"
accepts headers src/base/a.h '#pragma once\n#include <stddef.h>\nsize_t f(void);\n' 'a header that stands alone'

# lines N TEXT: N lines of TEXT.
lines()
{
	local i
	for ((i = 0; i < $1; i++)); do
		printf '%s\\n' "$2"
	done
}
# function_of LINES TEXT: a function of LINES + 5 lines.
function_of()
{
	printf '%s' "int\\nf(int x)\\n{\\n$(lines "$1" "$2")\\treturn x;\\n}\\n"
}
complains functions src/base/a.c "$(function_of 96 '\tx++;')" '2: f() 101 lines are more than 100'
complains functions src/base/a.c "$(function_of 25 '\tif (x) x++;')" '2: f() complexity 26 is more than 25'
complains functions src/base/a.c "struct a { int class; VEC(int) v; };\\n$(function_of 96 '\tx++;')" '3: f() 101 lines are more than 100'
complains functions src/base/a.h "$(lines 801 'int a;')" '801: more than 800 lines in one file'
accepts functions src/base/a.c "$(function_of 95 '\tx++;')" 'a function of 100 lines'
accepts functions src/base/a.c "$(function_of 24 '\tif (x) x++;')" 'a complexity of 25'
accepts functions src/base/a.h "$(lines 800 'int a;')" 'a file of 800 lines'

# The samples quote on purpose.
# shellcheck disable=SC2016
complains shell scripts/a '#!/bin/sh\necho $1\n' '2: note: Double quote'
# shellcheck disable=SC2016
accepts shell scripts/a '#!/bin/sh\necho "$1"\n' 'a clean script'

cp "$top_srcdir/.clang-format" "$work"
complains format src/base/a.c 'int  a;\n' '1: not formatted'
accepts format src/base/a.c 'int a;\n' 'formatted code'

complains words src/base/a.c '\nint a; /* TO''DO */\n' '2: must not be here'
complains words docs/a.md 'see /ho''me/me/x\n' '1: must not be here'
complains words docs/a.md 'not imple''mented\n' '1: must not be here'
accepts words docs/a.md 'the work is done in a home\n' 'plain words'

# dist_says MISSING: what the check says of a repository {a, b, .gitignore} and a distribution {a, configure} and MISSING.
dist_says()
{
	rm -rf "$work/tree" "$work/dist"
	mkdir "$work/tree" "$work/dist"
	touch "$work/tree/a" "$work/tree/b" "$work/tree/.gitignore" "$work/dist/a" "$work/dist/configure" "$work/dist/$1"
	(cd "$work/tree" && git init -q . && LINT_DISTDIR="$work/dist" sh "$top_srcdir/scripts/lint/dist.sh")
}
if command -v git >/dev/null; then
	is "$(dist_says c | tr '\n' ' ')" 'b:1: not distributed: list it in Makefile.am c:1: distributed, but not in the repository ' \
		'dist refuses a forgotten and a stray file'
	is "$(dist_says b)" '' 'dist accepts a complete distribution'
else
	skip 'dist' 'no git'
fi

# The runner fails when one check fails, and says which.
rm -rf "$work/tree"
mkdir -p "$work/tree/src/base"
echo 'int n = atoi("1");' >"$work/tree/src/base/a.c"
run_says=$(cd "$work/tree" && sh "$top_srcdir/scripts/lint/run.sh" sql banned 2>&1)
is "$?/$run_says" $'1/src/base/a.c:1: atoi() is banned [banned]\nlint: failed: banned' 'the runner reports the failed check'
(cd "$work/tree" && sh "$top_srcdir/scripts/lint/run.sh" sql output >"$work/stderr" 2>&1)
is "$?" 0 'the runner passes when all checks do'

tap_done
