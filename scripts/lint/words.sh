#!/bin/sh
# Words that say that something is unfinished, belongs to one machine or was left by a merge. (The brackets keep this file clean.)
. "$(dirname "$0")/lib.sh"

unfinished='\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|[n]ot (yet )?implemented|[l]orem ipsum|\b[s]tubs?\b'
machine='/(h[o]me|r[o]ot|w[o]rk|U[s]ers)/[a-z]|/tmp/[a-z]+/[a-z]'
merge='^(<{7}|>{7}) '

grep -rnIE --exclude-dir=.git --exclude-dir='build*' --exclude-dir=autom4te.cache --exclude-dir=recorded --exclude-dir=corpus \
	--exclude=configure --exclude=Makefile.in --exclude=aclocal.m4 --exclude='config.*' \
	"$unfinished|$machine|$merge" . | sed -E 's|^\./||; s/^([^:]*:[0-9]+):(.*)/\1: must not be here: \2/'
exit 0
