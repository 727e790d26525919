#!/usr/bin/env python3
"""cluster.py DIR IMLAB [OPTION...] - three nodes of imlab, each with these options: topics on all of them, one killed, stopped, back again.
With a database behind them what was published before a node was killed is there afterwards. Prints TAP.

Whether a topic lives on a node is worked out here once more, from the ring of the server as tests' facts have it."""
import bisect
import json
import os
import signal
import socket
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from imlab_client import Tap, User, until  # noqa: E402

NAMES = ['one', 'two', 'three']
RING = sorted((zlib.crc32(f'{i}{name}'.encode()), node) for node, name in enumerate(NAMES) for i in range(20))


def master(topic):
    return RING[bisect.bisect_left(RING, (zlib.crc32(topic.encode()), -1)) % len(RING)][1]


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, where, program, *options):
        self.program, self.where, self.options = program, where, options
        self.nodes = ','.join(f'{name}=127.0.0.1:{port}' for name, port in zip(NAMES, free_ports(3)))
        self.process, self.port = [None] * 3, [0] * 3

    def start(self, i):
        port_file = os.path.join(self.where, f'{NAMES[i]}.port')
        if os.path.exists(port_file):
            os.remove(port_file)
        self.process[i] = subprocess.Popen([self.program, '--name', NAMES[i], '--cluster', self.nodes, '--port-file', port_file,
                                            '--log', self.log_name(i), *self.options])
        until(lambda: os.path.exists(port_file) and os.path.getsize(port_file) > 0)
        self.port[i] = int(open(port_file, encoding='ascii').read())

    def log_name(self, i):
        return os.path.join(self.where, f'{NAMES[i]}.log')

    def log(self, i):
        return open(self.log_name(i), encoding='utf-8').read()

    def signal(self, i, number):
        self.process[i].send_signal(number)
        if number == signal.SIGKILL:
            self.process[i].wait()

    def stop(self):
        status = []
        for p in self.process:
            p.send_signal(signal.SIGTERM)
            status.append(p.wait(10))
        return status


def talk(tap, users, group):
    """Everybody publishes to the group, everybody gets it once and in the order of seq."""
    for i, u in enumerate(users):
        for u2 in users:
            u2.heard.clear()
        answer = u.ask('pub', topic=group, noecho=True, head={'x-im-client-mid': f'm{i}'}, content=f'text {i}')
        seq = answer.get('params', {}).get('seq')
        got = [u2.wait(lambda f: 'data' in f and f['data']['head']['x-im-client-mid'] == f'm{i}') for u2 in users if u2 is not u]
        tap.ok(answer['code'] == 202 and all(g and g['data']['seq'] == seq for g in got), f'user {i} publishes to a group on node {master(group)}',
               answer, got)


def all_alive(tap, cluster, users):
    groups = [u.ask('sub', topic='new')['topic'] for u in users]
    tap.ok([master(g) for g in groups] == [0, 1, 2], 'a group lives on the node of its creator', groups)
    for group in groups:
        codes = [u.ask('sub', topic=group)['code'] for u in users]
        tap.ok(sorted(codes) == [200, 200, 304], 'users of all nodes join', codes)
        talk(tap, users, group)
    pairs = [(a, b) for a in users for b in users if a.id < b.id]
    for a, b in pairs:
        codes = a.ask('sub', topic=b.id)['code'], b.ask('sub', topic=a.id)['code']
        answer = a.ask('pub', topic=b.id, noecho=True, head={'x-im-client-mid': 'p2p'}, content='hello')
        got = b.wait(lambda f: f.get('data', {}).get('topic') == a.id)
        tap.ok(codes == (200, 200) and answer['code'] == 202 and got and got['data']['from'] == a.id, 'p2p between nodes', codes, answer, got)
        history = b.ask('get', topic=a.id, what='data', data={'limit': 10})
        tap.ok(history['code'] == 208 and history['params'] == {'count': 1, 'what': 'data'}, 'history from the master', history)
    tap.ok(users[0].wait(lambda f: f.get('pres', {}).get('src') == users[2].id and f['pres']['what'] == 'on') is not None,
           'presence between nodes')
    return groups


def killed(tap, cluster, users, groups):
    """The third node is killed and comes back."""
    cluster.signal(2, signal.SIGKILL)
    term = [u.wait(lambda f: f.get('pres', {}) == {'topic': groups[2], 'what': 'term'}) for u in users[:2]]
    tap.ok(all(term), 'sessions elsewhere are told that a topic of a killed node is gone', term)
    answer = users[0].ask('sub', topic=groups[2])
    tap.ok((answer['code'], answer['text']) == (502, 'cluster unreachable'), 'a topic of a killed node cannot be reached', answer)
    answer = users[1].ask('pub', topic=groups[0], content='still here')
    tap.ok(answer['code'] == 202, 'topics of other nodes go on', answer)
    tap.ok(f"proxy topic[{groups[2]}]: route join request from proxy to master failed - cluster: node 'three' not connected" in cluster.log(0),
           'the log says why')
    cluster.start(2)
    tap.ok(until(lambda: cluster.log(0).count('cluster: connected to three') == 2), 'it is dialled again')
    ok = all(until(lambda u=u: u.ask('sub', topic=groups[2])['code'] == 200) for u in users[:2])
    back = User(cluster.port[2], 'user2')
    tap.ok(ok and back.id == users[2].id and back.ask('sub', topic=groups[2])['code'] == 200, 'accounts and members are known to it again')
    users[2] = back
    if cluster.options:
        history = back.ask('get', topic=groups[2], what='data', data={'limit': 100})
        tap.ok(history.get('params') == {'count': 3, 'what': 'data'}, 'what was published before is still there', history)
    talk(tap, users, groups[2])


def stopped(tap, cluster, users, group):
    """The third node stands still: more than 64 requests under way wait 20 ms and fail."""
    cluster.signal(2, signal.SIGSTOP)
    a = users[0]
    for i in range(70):
        a.ws.send(json.dumps({'pub': {'id': f's{i}', 'topic': group, 'noecho': True, 'content': i}}))
    codes = {}
    while len(codes) < 6:
        f = json.loads(a.ws.recv()).get('ctrl', {})
        codes[f.get('id')] = f.get('code')
    tap.ok(codes == {f's{i}': 502 for i in range(64, 70)}, 'those that found no room in 20 ms are answered 502', codes)
    line = f'topic proxy[{group}]: route broadcast request from proxy to master failed - cluster: load exceeded'
    tap.ok(cluster.log(0).count(line) == 6, 'the log says so, once for each')
    began = time.monotonic()
    User(cluster.port[0], 'late')
    waited = time.monotonic() - began
    tap.ok(0.4 < waited < 3, 'the answer to a new account waits half a second for a node that does not have it yet', waited)
    cluster.signal(2, signal.SIGCONT)
    while len(codes) < 70:
        f = json.loads(a.ws.recv()).get('ctrl', {})
        if f:
            codes[f.get('id')] = f.get('code')
    tap.ok([codes[f's{i}'] for i in range(64)] == [202] * 64, 'the others are acknowledged when it goes on')


def main():
    tap, cluster = Tap(), Cluster(*sys.argv[1:])
    try:
        for i in range(3):
            cluster.start(i)
        ok = until(lambda: all(cluster.log(i).count('cluster: connected to') == 2 for i in range(3)))
        tap.ok(ok, 'every node is connected to every other')
        users = [User(cluster.port[i], f'user{i}') for i in range(3)]
        for u in users:
            u.ask('sub', topic='me')
        groups = all_alive(tap, cluster, users)
        killed(tap, cluster, users, groups)
        stopped(tap, cluster, users, groups[2])
        tap.ok(cluster.stop() == [0, 0, 0], 'all end in good order')
    finally:
        for p in cluster.process:
            if p is not None and p.poll() is None:
                p.kill()
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
