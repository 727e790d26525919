#!/bin/bash
# The manual pages have every command with its operands, and exactly the options that --help prints.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:?}/tests/lib/tap.sh"

# Options of a section of --help as .It lines of the page: "  -o, --output FILE   text" is ".It Fl o , Fl -output Ar FILE".
help_items()
{
	"$program" ${1:+"$1"} --help | awk -v head="$2" '
		$0 == head { on = 1; next }
		/^$/ { on = 0 }
		on {
			item = ".It Fl "
			if ($1 ~ /^-[a-zA-Z],$/) {
				item = item substr($1, 2, 1) " , Fl "
				$1 = ""
				sub(/^ */, "")
			}
			argument = $2 ~ /^[A-Z][A-Z]*$/ ? " Ar " $2 : ""
			print item substr($1, 2) argument
		}' | sort
}

# .It lines with options in the section of the page that begins with a line.
page_items()
{
	awk -v head="$1" '
		$0 == head { on = 1; next }
		/^\.S[hs] / { on = 0 }
		on && /^\.It Fl / { print }' "$page" | sort
}

for program in "${IMPAUDIT:?}" "${IMPAGENT:?}"; do
	name=$(basename "$program")
	page=$top_srcdir/docs/$name.1
	is "$(page_items '.Sh DESCRIPTION')" "$(help_items '' 'Options:')" 'options of every command'
	for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
		usage=$("$program" "$command" --help | sed -n 's/^usage: //p')
		ok "$(grep -Fxq ".Ss $usage" "$page"; echo $?)" "$command: synopsis"
		is "$(page_items ".Ss $usage")" "$(help_items "$command" 'Options:')" "$command: options"
	done
	is "$(grep -c "^\.Ss $name " "$page")" "$("$program" --help | sed -n '/^Commands:/,/^$/p' | grep -c '^  ')" 'no section without a command'
	if command -v mandoc >/dev/null; then
		is "$(mandoc -T lint -W warning "$page" 2>&1 | grep -v 'outdated mandoc.db')" '' 'mandoc finds nothing'
	else
		skip 'mandoc finds nothing' 'no mandoc'
	fi
done

tap_done
