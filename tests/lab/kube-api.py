#!/usr/bin/env python3
"""A Kubernetes API server for tests: the read-only part that a collector asks for, written from the API's documentation.

usage: kube-api.py STATE --cert FILE --key FILE [--client-ca FILE]

It listens on a free port of 127.0.0.1 and prints the port. STATE is a directory:

  pods.json, statefulsets.json, deployments.json, events.json, podmetrics.json   lists of objects; no file: none of them
  logs/POD/CONTAINER.log, CONTAINER.previous.log   lines "TIME text" with nine digits behind the second
  tokens         accepted bearer tokens, one a line
  denied         "VERB RESOURCE" lines, as a role would name them: list events, get pods/log
  no-metrics     when it is there, metrics.k8s.io is not installed
  faults.json    [{"path": REGEX, "times": N, "do": WHAT}]: what becomes of the next N requests that match (default: all);
                 WHAT is a status code, "hang", "cut" (half of the body, then the end), "stall" (half
                 of it, and then nothing), "page" (HTML)
  requests.jsonl is written: a line for each request

Files are read for each request, so that a test can change them while the server runs.
"""
import argparse
import base64
import gzip
import http.server
import json
import os
import re
import ssl
import sys
import threading
import urllib.parse

VERSION = {"major": "1", "minor": "29", "gitVersion": "v1.29.3", "platform": "linux/amd64"}
LISTS = {
    ("", "pods"): ("v1", "PodList", "pods.json"),
    ("apps", "statefulsets"): ("apps/v1", "StatefulSetList", "statefulsets.json"),
    ("apps", "deployments"): ("apps/v1", "DeploymentList", "deployments.json"),
    ("", "events"): ("v1", "EventList", "events.json"),
    ("metrics.k8s.io", "pods"): ("metrics.k8s.io/v1beta1", "PodMetricsList", "podmetrics.json"),
}
PATH = re.compile(r"^/(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)/namespaces/(?P<ns>[^/]+)/(?P<what>[a-z]+)(?:/(?P<name>[^/]+)/log)?$")
GZIP_FROM = 128 * 1024  # as the real one

lock = threading.Lock()


class Failure(Exception):
    """An answer of kind Status."""

    def __init__(self, code, reason, message, **details):
        super().__init__(message)
        self.code = code
        self.status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
                       "reason": reason, "details": details, "code": code}


REASONS = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 410: "Expired", 429: "TooManyRequests",
           500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}
MESSAGES = {410: "The provided continue parameter is too old to display a consistent list result.",
            429: "too many requests, please try again later"}


class State:
    def __init__(self, folder):
        self.folder = folder

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def lines(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def objects(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return json.load(f)
        except FileNotFoundError:
            return []

    def fault(self, path):
        """The fault that this request meets, used up by it."""
        with lock:
            faults = self.objects("faults.json")
            for fault in faults:
                if fault.get("times", 1) > 0 and re.search(fault["path"], path):
                    if "times" in fault:
                        fault["times"] -= 1
                        with open(self.path("faults.json"), "w", encoding="utf-8") as f:
                            json.dump(faults, f)
                    return fault["do"]
        return None

    def note(self, request):
        with lock, open(self.path("requests.jsonl"), "a", encoding="utf-8") as f:
            f.write(json.dumps(request) + "\n")


def selected(obj, selector):
    labels = obj.get("metadata", {}).get("labels", {})
    return all(labels.get(key) == value for key, _, value in (part.partition("=") for part in selector.split(",") if part))


def list_of(state, query, group, what, namespace):
    if group == "metrics.k8s.io" and os.path.exists(state.path("no-metrics")):
        raise Failure(404, "NotFound", "the server could not find the requested resource")
    version, kind, name = LISTS[group, what]
    objects = [o for o in state.objects(name)
               if o["metadata"].get("namespace", namespace) == namespace and selected(o, query.get("labelSelector", ""))]
    start = int(base64.b64decode(query["continue"]).decode()) if "continue" in query else 0
    limit = int(query.get("limit", "0")) or len(objects)
    page, rest = objects[start:start + limit], objects[start + limit:]
    metadata = {"resourceVersion": "1001"}
    if rest:
        metadata["continue"] = base64.b64encode(str(start + limit).encode()).decode()
        metadata["remainingItemCount"] = len(rest)
    return {"kind": kind, "apiVersion": version, "metadata": metadata, "items": page or None}


def log_of(state, query, name):
    pod = next((p for p in state.objects("pods.json") if p["metadata"]["name"] == name), None)
    if pod is None:
        raise Failure(404, "NotFound", f'pods "{name}" not found', name=name, kind="pods")
    spec = pod["spec"]
    names = [c["name"] for c in spec.get("initContainers", []) + spec["containers"]]
    container = query.get("container") or (names[0] if len(names) == 1 else None)
    if container not in names:
        raise Failure(400, "BadRequest", f"container {container} is not valid for pod {name}")
    previous = query.get("previous") == "true"
    path = state.path("logs", name, container + (".previous.log" if previous else ".log"))
    if not os.path.exists(path):
        raise Failure(400, "BadRequest", f'previous terminated container "{container}" in pod "{name}" not found' if previous else
                      f'container "{container}" in pod "{name}" is waiting to start: ContainerCreating')
    with open(path, "rb") as f:
        lines = f.read().splitlines(keepends=True)
    if "sinceTime" in query:  # whole seconds, as metav1.Time has them; both in UTC: text compares as time does
        lines = [line for line in lines if line[:19] >= query["sinceTime"].encode()[:19]]
    if query.get("timestamps") != "true":
        lines = [line.partition(b" ")[2] for line in lines]
    body = b"".join(lines)
    return body[:int(query["limitBytes"])] if "limitBytes" in query else body


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state = None

    def log_message(self, *args):
        pass

    def user(self):
        certificate = self.connection.getpeercert()
        if certificate:
            return dict(pair[0] for pair in certificate["subject"])["commonName"]
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Bearer" and token in self.state.lines("tokens"):
            return "system:serviceaccount:im:impaudit"
        raise Failure(401, "Unauthorized", "Unauthorized")

    def answer(self):
        split = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        user = self.user()
        if split.path == "/version":
            return VERSION
        match = PATH.match(split.path)
        group = match.group("group") or "" if match else ""
        if not match or (group, match.group("what")) not in LISTS:
            raise Failure(404, "NotFound", "the server could not find the requested resource")
        resource = match.group("what") + ("/log" if match.group("name") else "")
        verb = "get" if match.group("name") else "list"
        named = resource + ("." + group if group else "")
        if f"{verb} {named}" in self.state.lines("denied"):
            raise Failure(403, "Forbidden", f'{named} is forbidden: User "{user}" cannot {verb} resource "{resource}" '
                          f'in API group "{group}" in the namespace "{match.group("ns")}"', kind=match.group("what"))
        if match.group("name"):
            return log_of(self.state, query, match.group("name"))
        return list_of(self.state, query, group, match.group("what"), match.group("ns"))

    def faulty(self):
        """True: the request met its fate."""
        what = self.state.fault(self.path)
        if what == "hang":
            threading.Event().wait()
        elif what == "page":
            self.send(200, b"<!DOCTYPE html><title>Login</title>", "text/html")
        elif isinstance(what, int):
            raise Failure(what, REASONS.get(what, "InternalError"), MESSAGES.get(what, "the server is ill"))
        self.fate = what
        return what == "page"

    def send(self, code, body, kind):
        self.send_response(code)
        if len(body) > GZIP_FROM and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if code == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        if self.fate in ("cut", "stall"):
            self.wfile.write(body[:len(body) // 2])
            if self.fate == "stall":
                threading.Event().wait()
            self.close_connection = True
        else:
            self.wfile.write(body)

    def do_GET(self):
        self.state.note({"method": self.command, "path": self.path, "accept": self.headers.get("Accept"),
                         "authorization": self.headers.get("Authorization"), "host": self.headers.get("Host")})
        self.fate = None
        try:
            if self.faulty():
                return
            body = self.answer()
        except Failure as failure:
            self.send(failure.code, json.dumps(failure.status).encode(), "application/json")
            return
        if isinstance(body, bytes):
            self.send(200, body, "text/plain")
        else:
            self.send(200, json.dumps(body).encode(), "application/json")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET


def main():
    p = argparse.ArgumentParser()
    p.add_argument("state")
    p.add_argument("--cert", required=True)
    p.add_argument("--key", required=True)
    p.add_argument("--client-ca")
    a = p.parse_args()
    Handler.state = State(a.state)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(a.cert, a.key)
    if a.client_ca:
        context.load_verify_locations(a.client_ca)
        context.verify_mode = ssl.CERT_OPTIONAL
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
