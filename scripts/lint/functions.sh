#!/bin/sh
# Functions of at most 100 lines and complexity 25 (a switch counts once), files of at most 800 lines.
. "$(dirname "$0")/lib.sh"

c_files src tests bench | xargs -r awk 'FNR == 801 { printf "%s:%d: more than 800 lines in one file\n", FILENAME, FNR }'

need pmccabe || exit 0

# pmccabe takes C for C++ and loses its way at a member called "class" or of type VEC(...): it reads a copy without them.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
c_files src tests bench | while read -r file; do
	mkdir -p "$copy/$(dirname "$file")"
	sed 's/\bclass\b/class_/g; s/\bVEC([^)]*)/int/g' "$file" >"$copy/$file"
done
cd "$copy" || exit
c_files src tests bench | xargs -r pmccabe 2>unread | awk -F '\t' '
	{ place = $6; sub(/\(/, ":", place); sub(/\): /, ": ", place) }
	$1 > 25 { print place "() complexity " $1 " is more than 25" }
	$5 > 100 { print place "() " $5 " lines are more than 100" }'
sed -E 's/^"([^"]*)", line ([0-9]+): /\1:\2: pmccabe: /' unread
