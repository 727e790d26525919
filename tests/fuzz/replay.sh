#!/bin/bash
# Run every fuzz target over its committed corpus, tests/fuzz/corpus/TARGET/. FUZZ_TARGETS names the programs.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"

for program in ${FUZZ_TARGETS:?}; do
	target=${program##*/fuzz-}
	output=$("${top_builddir:?}/$program" -runs=0 "$top_srcdir/tests/fuzz/corpus/$target" 2>&1)
	status=$?
	ok "$status" "corpus of $target"
	[ "$status" -eq 0 ] || tail -n 40 <<<"$output" | sed 's/^/# /'
done
tap_done
