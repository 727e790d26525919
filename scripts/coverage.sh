#!/bin/sh
# coverage.sh SRCDIR - print the lines covered in each source file and in total, from the gcov data below the current directory.
set -eu

find . -name '*.gcda' -exec gcov -n -r -s "$1" {} + 2>/dev/null | awk '
	/^File / { file = $2; gsub(/\047/, "", file) }
	/^Lines executed:/ && file ~ /^src\// {
		percent = $0; sub(/.*executed:/, "", percent); sub(/%.*/, "", percent)
		hit = percent / 100 * $NF
		if (!(file in lines) || hit > covered[file]) covered[file] = hit
		lines[file] = $NF
		file = ""
	}
	END {
		for (file in lines) {
			printf "%6.2f%% of %5d  %s\n", 100 * covered[file] / lines[file], lines[file], file | "LC_ALL=C sort -k 4"
			all += lines[file]; hits += covered[file]
		}
		close("LC_ALL=C sort -k 4")
		if (all == 0) { print "no coverage data" ; exit 1 }
		printf "%6.2f%% of %5d  in all\n", 100 * hits / all, all
	}'
