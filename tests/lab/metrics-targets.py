#!/usr/bin/env python3
"""Processes that tell their metrics, well and badly, for tests: each path of this server is one of them.

Below /api/v1 it plays a Prometheus server that warns, fails, or breaks off, as the name of the query asks for.

usage: metrics-targets.py [--cert FILE --key FILE]

It listens on a free port of 127.0.0.1 and prints the port. A line for each request goes to standard error.
"""
import argparse
import gzip
import http.server
import ssl
import sys
import threading

GOOD = b"""# HELP im_sessions Sessions.
# TYPE im_sessions gauge
im_sessions 42
# TYPE im_queue_full_total counter
im_queue_full_total{queue="topic",pod="im-0"} 7
"""
MIB = 1 << 20
SERIES = b'{"metric":{"pod":"im-0"},"values":[[1790000000,"1"],[1790000005.5,"2"]]}'
ANSWERS = {
    "good": b'{"status":"success","data":{"resultType":"matrix","result":[' + SERIES + b']}}',
    "warned": b'{"status":"success","data":{"resultType":"matrix","result":[' + SERIES + b']},"warnings":["a store is away"]}',
    "failed": b'{"status":"error","errorType":"internal","error":"a store is away: password=geheim"}',
    "torn": b'{"status":"success","data":{"resultType":"matrix","result":[' + SERIES,
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    busy = {}  # how often a path said so

    def log_message(self, fmt, *args):
        print(self.command, self.path, "accept:", self.headers.get("Accept"), file=sys.stderr, flush=True)

    def send(self, body, code=200, kind="text/plain; version=0.0.4", **headers):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def large(self, n):
        """n MiB of samples, in chunks."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = (b"im_filler 1234567890\n" * (MIB // 21 + 1))[:MIB]
        for _ in range(n):
            self.wfile.write(b"%x\r\n" % MIB + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        path, _, argument = self.path.partition("?")
        if path == "/metrics":
            self.send(GOOD)
        elif path == "/gzip":
            self.send(gzip.compress(GOOD), Content_Encoding="gzip")
        elif path == "/hang":
            threading.Event().wait()
        elif path in ("/busy", "/full"):  # twice, then fine
            Handler.busy[path] = Handler.busy.get(path, 0) + 1
            if Handler.busy[path] <= 2:
                self.send(b"try again\x1b[31m password=geheim\n", 503 if path == "/busy" else 429, **({"Retry_After": "1"} if path == "/full" else {}))
            else:
                self.send(GOOD)
        elif path == "/later":
            self.send(b"", 503, Retry_After="3600")
        elif path == "/bomb":
            self.send(gzip.compress(bytes(64 * MIB), 9), Content_Encoding="gzip")
        elif path == "/page":
            self.send(b"\n<!DOCTYPE html><title>Login</title>", kind="text/html; charset=utf-8")
        elif path == "/large":
            self.large(int(argument))
        elif path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(GOOD)
            self.close_connection = True
        elif path == "/away":
            self.send(b"", 302, Location="/metrics")
        elif path == "/private":
            if self.headers.get("Authorization") in ("Bearer token-of-metrics", "Basic aW1wYXVkaXQ6cGFzcy1vZi1tZXRyaWNz"):
                self.send(GOOD)
            else:
                self.send(b"no", 401)
        elif path == "/api/v1/query_range":
            self.send(ANSWERS[argument.partition("&")[0].removeprefix("query=")], kind="application/json")
        else:
            self.send(b"not found\n", 404)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cert")
    p.add_argument("--key")
    a = p.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if a.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(a.cert, a.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
