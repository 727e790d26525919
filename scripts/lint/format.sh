#!/bin/sh
# The C code is as clang-format leaves it. Versions differ in detail, so only that of Debian 12 is asked.
. "$(dirname "$0")/lib.sh"

version=14
format=clang-format-$version
command -v $format >/dev/null || format=clang-format
need $format || exit 0
$format --version | grep -q "version $version\." || { echo "lint: format left out: clang-format $version is needed" >&2; exit 0; }
c_files src tests bench | xargs -r $format --dry-run -ferror-limit=1 2>&1 |
	sed -nE 's/^([^:]+:[0-9]+):[0-9]+: warning:.*/\1: not formatted: make format/p'
