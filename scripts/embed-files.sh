#!/bin/sh
# embed-files.sh c|h TABLE ROOT FILE... - turn files into a C source or header on standard output.
#
# Each FILE (relative to ROOT) becomes `const char SYMBOL[]`, SYMBOL being its path without extension and with every other
# character than letters and digits turned into "_": sql/report/event_count.sql is sql_report_event_count. The bytes are kept as
# they are, and a NUL follows. All of them also stand in `const struct TABLE_file TABLE_files[]`, ended by a row of NULL.
set -eu

kind=$1 table=$2 root=$3
shift 3

symbol_of()
{
	printf '%s' "${1%.*}" | tr -c 'A-Za-z0-9' '_'
}

emit_header()
{
	printf '#pragma once\n#include <stddef.h>\n\n'
	for file; do
		printf 'extern const char %s[];\n' "$(symbol_of "$file")"
	done
	printf '\nstruct %s_file {\n' "$table"
	printf '\tconst char *name;\t/* path in the source tree */\n'
	printf '\tconst char *text;\t/* NUL-terminated */\n'
	printf '\tsize_t length;\t\t/* bytes, without the NUL */\n};\n\n'
	printf 'extern const struct %s_file %s_files[];\t/* ends with a row of NULL */\n' "$table" "$table"
}

emit_source()
{
	printf '#include "%s_gen.h"\n' "$table"
	for file; do
		printf '\nconst char %s[] = {\n' "$(symbol_of "$file")"
		od -An -v -td1 "$root/$file" | sed 's/[-0-9][0-9]*/&,/g'
		printf '0};\n'
	done
	printf '\nconst struct %s_file %s_files[] = {\n' "$table" "$table"
	for file; do
		symbol=$(symbol_of "$file")
		printf '\t{ "%s", %s, sizeof(%s) - 1 },\n' "$file" "$symbol" "$symbol"
	done
	printf '\t{ NULL, NULL, 0 },\n};\n'
}

for file; do
	test -r "$root/$file" || { echo "embed-files.sh: cannot read '$root/$file'" >&2; exit 1; }
done
printf '/* Made by scripts/embed-files.sh; do not edit. */\n'
case $kind in
h) emit_header "$@" ;;
c) emit_source "$@" ;;
*) echo "embed-files.sh: 'c' or 'h' expected, not '$kind'" >&2; exit 64 ;;
esac
