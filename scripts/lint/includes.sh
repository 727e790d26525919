#!/bin/sh
# The layers: a file includes its own layer and those to its left. The agent stands on base alone. Vendors' client libraries stay
# in collect. Every .c file begins with config.h.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2016
c_files src | xargs -r awk '
function complain(reason) { printf "%s:%d: %s\n", FILENAME, FNR, reason }

function check_project(path,	layer) {
	if (path == "config.h")
		return
	layer = path in generated ? generated[path] : path
	if (!sub(/\/.*/, "", layer) && !(path in generated))
		complain("include \"" path "\" as \"LAYER/NAME.h\"")
	else if (!(layer in rank))
		complain("\"" layer "\" is not a layer")
	else if (own == "agent" ? layer != "agent" && layer != "base" : rank[layer] > rank[own])
		complain(own " must not include " layer)
}

function check_system(path) {
	if (own != "collect" && path ~ /^(mysql|mariadb|hiredis|librdkafka|curl)[\/.]/)
		complain("<" path "> belongs to src/collect")
}

BEGIN {
	n = split("base store collect ingest classify rules report cmd agent main", names, " ")
	for (i = 1; i <= n; i++)
		rank[names[i]] = i
	generated["sql_gen.h"] = "store"
	generated["rules_gen.h"] = "rules"
}

FNR == 1 {
	own = FILENAME
	sub(/^src\//, "", own)
	sub(/[\/.].*/, "", own)
	first = FILENAME ~ /\.c$/
	if (!(own in rank))
		complain("\"" own "\" is not a layer")
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
	split($0, part, /["<>]/)
	if (first && part[2] != "config.h")
		complain("the first include must be \"config.h\"")
	first = 0
	if ($0 ~ /"/)
		check_project(part[2])
	else
		check_system(part[2])
}'
