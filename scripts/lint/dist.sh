#!/bin/sh
# The distribution holds every file of the repository, and nothing else but what autoreconf makes. LINT_DISTDIR is the unpacked one.
. "$(dirname "$0")/lib.sh"

[ -n "${LINT_DISTDIR:-}" ] && need git || exit 0
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo 'lint: dist left out: not a git work tree' >&2; exit 0; }

repository_only='^(\.ci/|\.gitignore$|\.gitattributes$)'
made_by_autoreconf='^(Makefile\.in|aclocal\.m4|config\.h\.in|configure|build-aux/.*)$'

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
git ls-files --cached --others --exclude-standard | grep -Ev "$repository_only" | while read -r file; do
	[ ! -e "$file" ] || printf '%s\n' "$file"
done | LC_ALL=C sort -u >"$lists/repository"
(cd "$LINT_DISTDIR" && find . -type f) | sed 's|^\./||' | grep -Ev "$made_by_autoreconf" | LC_ALL=C sort >"$lists/distribution"
LC_ALL=C comm -23 "$lists/repository" "$lists/distribution" | sed 's|$|:1: not distributed: list it in Makefile.am|'
LC_ALL=C comm -13 "$lists/repository" "$lists/distribution" | sed 's|$|:1: distributed, but not in the repository|'
