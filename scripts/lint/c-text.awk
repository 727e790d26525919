# c-text.awk - C source without comments, as "file:line:text".
#
# keep=code: one line for each line, string and character literals emptied.
# keep=strings: one line for each string literal, its content; #include lines have none.

FNR == 1 { in_comment = 0 }

{
	rest = $0
	code = ""
	if (keep == "strings" && rest ~ /^[ \t]*#[ \t]*include/)
		rest = ""
	while (rest != "") {
		if (in_comment) {
			end = index(rest, "*/")
			in_comment = end == 0
			rest = end > 0 ? substr(rest, end + 2) : ""
			code = code " "
		} else if (match(rest, /^"([^"\\]|\\.)*"/)) {
			if (keep == "strings")
				printf "%s:%d:%s\n", FILENAME, FNR, substr(rest, 2, RLENGTH - 2)
			code = code "\"\""
			rest = substr(rest, RLENGTH + 1)
		} else if (match(rest, /^'([^'\\]|\\.)*'/)) {
			code = code "''"
			rest = substr(rest, RLENGTH + 1)
		} else if (rest ~ /^\/\*/) {
			in_comment = 1
			rest = substr(rest, 3)
		} else if (rest ~ /^\/\//) {
			rest = ""
		} else {
			match(substr(rest, 2), /["'\/]/)
			take = RSTART > 0 ? RSTART : length(rest)
			code = code substr(rest, 1, take)
			rest = substr(rest, take + 1)
		}
	}
	if (keep == "code")
		printf "%s:%d:%s\n", FILENAME, FNR, code
}
