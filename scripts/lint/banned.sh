#!/bin/sh
# Calls that cannot be used safely, or not in a program with threads.
. "$(dirname "$0")/lib.sh"

unbounded='strcpy|stpcpy|strcat|sprintf|vsprintf|gets|alloca|strdupa'
truncating='strncpy|strncat'
unchecked='atoi|atol|atoll|atof'
shared='strtok|gmtime|localtime|ctime|asctime|rand'
foreign='system|popen|tmpnam|tempnam|mktemp'

c_text code src tests bench | awk -v names="$unbounded|$truncating|$unchecked|$shared|$foreign" -v reason='is banned' -f "$lint_dir/calls.awk"
