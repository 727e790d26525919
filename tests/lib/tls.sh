# shellcheck shell=bash
# tests/lib/tls.sh - authorities, certificates and servers for tests, in the current directory.

# make_ca NAME: NAME.crt, NAME.key
make_ca()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.crt" 2>/dev/null
	chmod 600 "$1.key"
}

# make_cert NAME CA SUBJECT-ALT-NAMES: NAME.crt, NAME.key, signed by CA
make_cert()
{
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null &&
		openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -days 2 \
			-extfile <(printf 'subjectAltName=%s\n' "$3") -out "$1.crt" 2>/dev/null
	chmod 600 "$1.key"
}

# serve NAME COMMAND...: run a server that prints its port; it is in the variable NAME_port, its standard error in NAME.log. end_servers
# ends them all.
servers=
serve()
{
	local name=$1 port
	shift
	mkfifo "$name.port"
	"$@" >"$name.port" 2>"$name.log" &
	servers="$servers $!"
	# the server keeps its end open: one line is read, not all
	read -r port <"$name.port" || return 1
	printf -v "${name}_port" %s "$port"
}

end_servers()
{
	# shellcheck disable=SC2086
	[ -z "$servers" ] || kill $servers 2>/dev/null
	servers=
}
