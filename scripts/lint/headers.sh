#!/bin/sh
# Every header compiles alone, after config.h, and twice.
. "$(dirname "$0")/lib.sh"

cc=${LINT_CC:-cc}
need "${cc%% *}" || exit 0
c_files src | grep '\.h$' | while read -r header; do
	name=${header#src/}
	# Both settings are lists of words.
	# shellcheck disable=SC2086
	printf '#include "config.h"\n#include "%s"\n#include "%s"\n' "$name" "$name" |
		$cc ${LINT_CPPFLAGS:-} -Isrc -Wall -Wextra -Werror -fsyntax-only -x c - 2>&1 |
		grep -m 1 'error:' | sed "s|^<stdin>|$header|"
done
exit 0
