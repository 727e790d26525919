# calls.awk - find calls in the output of c-text.awk (keep=code): names is a |-list of functions, reason what is wrong with them.

{
	match($0, /^[^:]*:[0-9]+:/)
	place = substr($0, 1, RLENGTH)
	rest = " " substr($0, RLENGTH + 1)
	while (match(rest, "[^A-Za-z0-9_.>](" names ")[ \t]*[(]")) {
		name = substr(rest, RSTART + 1, RLENGTH - 1)
		sub(/[ \t]*[(]$/, "", name)
		printf "%s %s() %s\n", place, name, reason
		rest = substr(rest, RSTART + RLENGTH)
	}
}
