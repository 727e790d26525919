"""A WebSocket client for tests, of the standard library alone (RFC 6455, text frames, no extensions).

It is strict where a server must be: unmasked frames, one message a frame, no reserved bits."""
import base64
import hashlib
import os
import socket
import struct

CONTINUATION, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10


class Closed(Exception):
    """The server ended the connection; `code` is that of its close frame, None without one."""

    def __init__(self, code):
        super().__init__(f'closed {code}')
        self.code = code


class Refused(Exception):
    """The server answered the upgrade with something else than 101."""

    def __init__(self, status, body):
        super().__init__(f'HTTP {status}')
        self.status, self.body = status, body


def frame(opcode, payload, final=True):
    n = len(payload)
    length = bytes([0x80 | n]) if n < 126 else b'\xfe' + struct.pack('>H', n) if n < 65536 else b'\xff' + struct.pack('>Q', n)
    mask = os.urandom(4)
    masked = bytes(b ^ mask[i & 3] for i, b in enumerate(payload))
    return bytes([(0x80 if final else 0) | opcode]) + length + mask + masked


class Client:
    def __init__(self, host, port, path, timeout=5, tls=None):
        self.sock = socket.create_connection((host, port), timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            self.sock = tls.wrap_socket(self.sock, server_hostname=host)
        self.buf = b''
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall((f'GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
                           f'Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n').encode())
        while b'\r\n\r\n' not in self.buf:
            self._more()
        head, self.buf = self.buf.split(b'\r\n\r\n', 1)
        lines = head.decode().split('\r\n')
        fields = {k.strip().lower(): v.strip() for k, v in (line.split(':', 1) for line in lines[1:])}
        status = int(lines[0].split()[1])
        if status != 101:
            while len(self.buf) < int(fields.get('content-length', 0)):
                self._more()
            raise Refused(status, self.buf.decode())
        accept = base64.b64encode(hashlib.sha1((key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').encode()).digest()).decode()
        assert fields['sec-websocket-accept'] == accept, fields

    def _more(self):
        chunk = self.sock.recv(1 << 16)
        if not chunk:
            raise Closed(None)
        self.buf += chunk

    def _take(self, n):
        while len(self.buf) < n:
            self._more()
        data, self.buf = self.buf[:n], self.buf[n:]
        return data

    def send_frame(self, opcode, payload, final=True):
        self.sock.sendall(frame(opcode, payload, final))

    def send(self, text):
        self.send_frame(TEXT, text.encode())

    def recv_frame(self):
        first, second = self._take(2)
        assert first & 0x70 == 0 and first & 0x80 and second & 0x80 == 0, (first, second)
        n = second & 0x7f
        if n == 126:
            n = struct.unpack('>H', self._take(2))[0]
        elif n == 127:
            n = struct.unpack('>Q', self._take(8))[0]
        return first & 15, self._take(n)

    def recv(self):
        """The next text; pings are answered on the way."""
        while True:
            opcode, payload = self.recv_frame()
            if opcode == PING:
                self.send_frame(PONG, payload)
            elif opcode == CLOSE:
                raise Closed(struct.unpack('>H', payload[:2])[0] if len(payload) >= 2 else None)
            elif opcode == TEXT:
                return payload.decode()

    def close(self, code=1000):
        """Close in good order; the code that the server answers."""
        self.send_frame(CLOSE, struct.pack('>H', code))
        try:
            while True:
                self.recv()
        except Closed as e:
            return e.code
        finally:
            self.sock.close()
