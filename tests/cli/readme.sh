#!/bin/bash
# The ```console blocks of the README, one session after `./setup demo`: each "$ COMMAND" prints what stands below it.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"
unset IMPAUDIT_STORE

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the demo leaves behind.
mkdir -p "$work/build/demo"
ln -s "${IMPAUDIT:?}" "$work/build/impaudit"
cp -R "$top_srcdir/fixtures/recorded/tinode-killed" "$work/build/demo/"
chmod -R u+w "$work/build/demo"
(cd "$work/build/demo" && ../impaudit ingest -q tinode-killed)
is "$?" 0 'ingest'

awk '/^```/ { on = $0 == "```console"; next } on' "$top_srcdir/README.md" >"$work/want"
ok "$([ "$(grep -c '^\$ ' "$work/want")" -ge 3 ]; echo $?)" 'there are commands'

# Each command, behind one that prints it.
sed -n 's/^\$ //p' "$work/want" | while IFS= read -r line; do
	printf 'printf "%%s\\n" %q\n%s\n' "\$ $line" "$line"
done >"$work/session"
(cd "$work" && bash session >got 2>&1)
diff "$work/want" "$work/got" >"$work/difference"
ok "$?" 'every command prints what the README says'
sed 's/^/# /' "$work/difference"

# What it quotes of the report.
"$IMPAUDIT" report -q --store "$work/build/demo/impaudit.db" >"$work/report"
sed -n 's/^> //p' "$top_srcdir/README.md" >"$work/quoted"
ok "$([ -s "$work/quoted" ]; echo $?)" 'the report is quoted'
is "$(grep -Fvxf "$work/report" "$work/quoted")" '' 'and says so'

# Every cause has its row in docs/causes.md.
# shellcheck disable=SC2016
documented=$(sed -n 's/^| `\([a-z_]*\.[a-z_]*\)`[^|]*|.*/\1/p' "$top_srcdir/docs/causes.md" | sort)
is "$documented" "$("$IMPAUDIT" rules list -q --kind cause --format csv | sed '1d; s/,.*//' | sort)" 'docs/causes.md has every cause'

# Files that the README and the documents point to.
for page in "$top_srcdir/README.md" "$top_srcdir"/docs/*.md; do
	mapfile -t links < <(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '://')
	for link in "${links[@]}"; do
		ok "$([ -e "$(dirname "$page")/$link" ]; echo $?)" "$(basename "$page"): $link"
	done
done
tap_done
