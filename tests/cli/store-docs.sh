#!/bin/bash
# docs/store.md is what scripts/store-docs.sh makes of the comments in sql/, and these name the columns that there are.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh "$top_srcdir/scripts/store-docs.sh" "$top_srcdir" >"$work/store.md"
is "$?" 0 'every view stands in a chapter'
diff "$top_srcdir/docs/store.md" "$work/store.md" >"$work/difference"
ok "$?" 'docs/store.md is current (else: sh scripts/store-docs.sh >docs/store.md)'
sed 's/^/# /' "$work/difference"

# documented NAME: the columns of a table as the page has them, hidden ones left out.
documented()
{
	awk -v head="### \`$1\`" '
		$0 == head { on = 1; next }
		/^##/ { on = 0 }
		on && /^\| `/ && $4 != "hidden:" { gsub(/`/, "", $2); print $2 }' "$work/store.md"
}

cp -R "$top_srcdir/fixtures/recorded/tinode-p2p" "$work/run"
chmod -R u+w "$work/run"
"${IMPAUDIT:?}" ingest -q --store "$work/store.db" "$work/run"
is "$?" 0 'ingest'
mapfile -t tables < <(sed -n 's/^### .\(.*\).$/\1/p' "$work/store.md")
for table in "${tables[@]}"; do
	columns=$("$IMPAUDIT" sql -q --store "$work/store.db" --format csv "SELECT * FROM $table LIMIT 0")
	is "$(documented "$table" | paste -sd ,)" "$columns" "$table"
done
tap_done
