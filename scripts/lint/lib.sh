# shellcheck shell=sh
# lib.sh - what the checks share. They run in the root of the source tree.

lint_dir=$(dirname "$0")

# c_files DIR...: the C files below those directories that exist.
c_files()
{
	find "$@" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort
}

# c_text code|strings DIR...: "file:line:text" of the C files without comments; see c-text.awk.
c_text()
{
	kind=$1
	shift
	c_files "$@" | xargs -r awk -v keep="$kind" -f "$lint_dir/c-text.awk"
}

# need TOOL: does it exist? If not, say that the check is left out.
need()
{
	command -v "$1" >/dev/null && return
	echo "lint: $(basename "$0" .sh) left out: install $1" >&2
	return 1
}
