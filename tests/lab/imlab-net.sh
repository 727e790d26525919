#!/bin/bash
# The sockets of imlab: frames in pieces, frames that are none, pings, slow readers, TLS. No other server is needed.
# shellcheck source=tests/lib/imlab.sh
. "${top_srcdir:?}/tests/lib/imlab.sh"

# step NAME: net.py says so of the server started last.
step()
{
	python3 "$top_srcdir/tests/lab/net.py" "$1" "$imlab_port" "${@:2}" >"$1.tap"
	ok $? "$1: $(grep -c '^ok' "$1.tap") checks hold"
	grep -A 5 '^not ok' "$1.tap" | cut -c 1-1000 | sed 's/^/# /'
}

imlab_start plain
step frames
step broken
step http
imlab_stop

imlab_start pings --ping 250 --deadline 1000
step pings
imlab_stop

imlab_start slow --null --max-unsent 1M
step slow
imlab_stop

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2>said
imlab_start tls --cert cert.pem --key key.pem
step tls cert.pem
imlab_stop
tap_done
