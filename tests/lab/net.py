#!/usr/bin/env python3
"""net.py STEP PORT [CA] - the sockets of imlab: frames in pieces, frames that are none, pings, TLS. Prints TAP."""
import json
import os
import socket
import ssl
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import ws_client  # noqa: E402
from imlab_client import KEY, Tap, User  # noqa: E402
from ws_client import CLOSE, CONTINUATION, PING, PONG, TEXT, frame  # noqa: E402

HI = b'{"hi":{"id":"1","ver":"0.25"}}'
MESSAGE_MAX = 131072


def connect(port, tls=None):
    return ws_client.Client('127.0.0.1', port, f'/v0/channels?apikey={KEY}', tls=tls)


def closed(client):
    """The code that the server closes with."""
    try:
        while True:
            client.recv()
    except ws_client.Closed as e:
        return e.code
    except ConnectionResetError:
        return 'reset'


def greeted(client):
    return json.loads(client.recv())['ctrl']['code'] == 201


def frames(tap, port, _):
    c = connect(port)
    for byte in frame(TEXT, HI):
        c.sock.sendall(bytes([byte]))
    tap.ok(greeted(c), 'a frame in single bytes')
    c.sock.sendall(b''.join(frame(TEXT, HI) for _ in range(3)))
    tap.ok(all([greeted(c) for _ in range(3)]), 'three frames in one segment')
    c.sock.sendall(frame(TEXT, HI[:5], False) + frame(PING, b'between') + frame(CONTINUATION, HI[5:20], False) + frame(CONTINUATION, HI[20:]))
    tap.ok(c.recv_frame() == (PONG, b'between') and greeted(c), 'a message of three frames, a ping between them')
    c.send_frame(PONG, b'that nobody asked for')
    c.send('1')
    tap.ok(c.recv() == '0', 'the probe')
    text = '{"hi":{"id":"1","ver":"0.25","ua":"' + 'x' * 70000 + '"}}'
    c.send(text)
    tap.ok(greeted(c), 'a frame with a long length')
    c.send_frame(CLOSE, b'\x0b\xb8bye')
    tap.ok(closed(c) == 3000, 'a close frame comes back with its code')


def broken(tap, port, _):
    masked = b'\x85\0\0\0\0'
    for what, data, code in (
            ('no mask', b'\x81\x02hi', 1002),
            ('a reserved bit', b'\xc1' + masked + b'hello', 1002),
            ('an opcode that is none', b'\x83' + masked + b'hello', 1002),
            ('a ping in pieces', b'\x09' + masked + b'hello', 1002),
            ('a long ping', b'\x89\xfe\0\x80\0\0\0\0' + b'x' * 128, 1002),
            ('a continuation of nothing', frame(CONTINUATION, b'x'), 1002),
            ('a message in a message', frame(TEXT, b'x', False) + frame(TEXT, b'x'), 1002),
            ('a message that is too long', frame(TEXT, b'x' * (MESSAGE_MAX + 1)), 1009),
            ('one that is too long in pieces', frame(TEXT, b'x' * MESSAGE_MAX, False) + frame(CONTINUATION, b'x'), 1009),
            ('a length that nobody has', b'\x81\xff' + b'\xff' * 8 + b'\0\0\0\0', 1009)):
        c = connect(port)
        try:
            c.sock.sendall(data)
        except ConnectionError:
            pass
        got = closed(c)
        tap.ok(got == code, f'{what}: {code}', got)


def raw(port, request):
    s = socket.create_connection(('127.0.0.1', port), 5)
    s.sendall(request)
    answer = b''
    try:
        while chunk := s.recv(65536):
            answer += chunk
            if answer.count(b'HTTP/1.1') >= 2 and answer.endswith(b'}\n'):
                break
    except (TimeoutError, ConnectionResetError):
        pass
    s.close()
    return answer


def http(tap, port, _):
    one = b'GET /debug/vars HTTP/1.1\r\nHost: x\r\n\r\n'
    got = raw(port, one + one)
    tap.ok(got.count(b'HTTP/1.1 200 OK') == 2, 'two requests in one segment', got)
    began = time.monotonic()
    got = raw(port, b'GET /debug/vars HTTP/1.1\r\nConnection: close\r\n\r\n')
    tap.ok(b'"Uptime"' in got and time.monotonic() - began < 3, 'a connection that is to be closed is, behind the answer', got)
    got = raw(port, b'GET /debug/vars HTTP/1.1\r\n' + b'X-Filler: ' + b'x' * 40000)
    tap.ok(got == b'', 'a head without an end is hung up on', got)
    got = raw(port, b'POST /x HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n')
    tap.ok(got == b'', 'so is a body that is too long', got)


def pings(tap, port, _):
    """Started with --ping 250 --deadline 1000."""
    mute, good = connect(port), connect(port)
    mute.sock.settimeout(5)
    began = time.monotonic()
    heard = []
    while time.monotonic() - began < 2:
        good.sock.settimeout(1)
        opcode, payload = good.recv_frame()
        heard.append(opcode)
        good.send_frame(PONG, payload)
    tap.ok(set(heard) == {PING} and 3 <= len(heard) <= 9, 'pings come, and a client that answers them stays', heard)
    try:
        while True:
            mute.recv_frame()
    except (ws_client.Closed, ConnectionResetError):
        tap.ok(True, 'a client that does not answer them is cut off')


def tls(tap, port, ca):
    context = ssl.create_default_context(cafile=ca)
    c = connect(port, context)
    c.sock.sendall(b''.join(frame(TEXT, HI) for _ in range(3)))
    tap.ok(all([greeted(c) for _ in range(3)]), 'over TLS')
    text = '{"hi":{"id":"1","ver":"0.25","ua":"' + 'x' * 100000 + '"}}'
    c.send(text)
    tap.ok(greeted(c), 'more than a record of it')
    try:
        connect(port, ssl.create_default_context())
        tap.ok(False, 'a client that does not know the CA')
    except ssl.SSLError:
        tap.ok(True, 'a client that does not know the CA')
    c.send('1')
    tap.ok(c.recv() == '0', 'others are not touched by that')


def slow(tap, port, _):
    """Started with --null --max-unsent 1M: who does not read is cut off, the others get all."""
    a, b, c = (User(port, f'slow{i}') for i in range(3))
    group = a.ask('sub', topic='new')['topic']
    for u in (b, c):
        u.ask('sub', topic=group)
    c.ws.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    big, seqs = 'x' * 100000, []
    for i in range(80):
        answer = a.ask('pub', topic=group, noecho=True, content=big)
        seqs.append(json.loads(b.ws.recv())['data']['seq'])
    tap.ok(answer['code'] == 202 and seqs == list(range(1, 81)), 'a reader gets everything beside one that does not read', seqs)
    got = raw(port, b'GET /debug/vars HTTP/1.1\r\n\r\n' * 2)
    tap.ok(b'"LiveSessions": 2,' in got, 'that one is cut off', got)
    c.ws.sock.close()


def main():
    tap = Tap()
    {'frames': frames, 'broken': broken, 'http': http, 'pings': pings, 'tls': tls, 'slow': slow}[sys.argv[1]](
        tap, int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
