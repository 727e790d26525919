#!/bin/sh
# Every shell script, as shellcheck sees it.
. "$(dirname "$0")/lib.sh"

need shellcheck || exit 0
find . \( -name '.git' -o -name 'build*' -o -path ./fixtures/recorded -o -path ./tests/fuzz/corpus -o -name configure \) -prune \
	-o -type f -size -200k -print | LC_ALL=C sort |
	xargs -r awk 'FNR == 1 && (/^#!.*[\/ ](ba)?sh( |$)/ || /^# shellcheck shell=/) { print FILENAME } { nextfile }' |
	xargs -r shellcheck -x -f gcc | sed -e 's|^\./||' -e 's/^\([^:]*:[0-9]*\):[0-9]*:/\1:/'
exit 0
