#!/bin/sh
# run.sh [NAME...] - run the checks of this directory (all, or those named) over the source tree in the current directory.
#
# A check prints one line "file:line: reason" for each thing that is wrong, and nothing else on standard output. One that lacks a
# tool says so on standard error and passes. Settings, all from `make lint`: LINT_CC and LINT_CPPFLAGS compile the headers,
# LINT_DISTDIR is the unpacked distribution.
set -u

lint_dir=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- includes banned output sql headers functions shell format words dist
failed=
for name; do
	found=$(sh "$lint_dir/$name.sh")
	status=$?
	if [ -n "$found" ]; then
		printf '%s\n' "$found" | sed "s/\$/ [$name]/"
	fi
	if [ -n "$found" ] || [ "$status" -ne 0 ]; then
		failed="$failed $name"
	fi
done
if [ -n "$failed" ]; then
	echo "lint: failed:$failed" >&2
	exit 1
fi
echo "lint: clean: $*"
