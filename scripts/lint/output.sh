#!/bin/sh
# Only src/main.c, src/cmd and the commands of the agent print or end the program; everything else returns an error or writes to what it was given.
. "$(dirname "$0")/lib.sh"

calls='exit|_exit|_Exit|quick_exit|abort|printf|vprintf|puts|putchar|perror|err|errx|warn|warnx'

library_code()
{
	c_text code src | grep -Ev '^src/(main\.c|cmd/|agent/agent_(main|cmd_[a-z_]*)\.c)'
}

library_code | awk -v names="$calls" -v reason='belongs to src/cmd' -f "$lint_dir/calls.awk"
library_code | sed -nE 's/^([^:]*:[0-9]+:).*\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b.*/\1 \2 belongs to src\/cmd/p'
