"""What tests of the lab server share: TAP, waiting, a user who asks one thing after the other."""
import base64
import json
import time

import ws_client

KEY = 'AQEAAAABAAD_rAp4DJh05a1HAwFT3A6K'


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def ok(self, good, name, *more):
        self.n += 1
        self.failed += not good
        print(f'{"" if good else "not "}ok {self.n} - {name}', flush=True)
        for line in more if not good else ():
            print('#', line)

    def end(self):
        print(f'1..{self.n}')
        return 1 if self.failed else 0


def until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class User:
    def __init__(self, port, login):
        self.heard, self.n = [], 0
        self.ws = ws_client.Client('127.0.0.1', port, f'/v0/channels?apikey={KEY}')
        self.ask('hi', ver='0.25')
        secret = base64.b64encode(f'{login}:secret-of-mine'.encode()).decode()
        answer = self.ask('login', scheme='basic', secret=secret)
        if answer['code'] == 401:
            answer = self.ask('acc', user='new', scheme='basic', secret=secret, login=True)
        self.id = answer['params']['user']

    def ask(self, request, /, **body):
        """The answer to a request; what comes before it is kept in `heard`."""
        self.n += 1
        self.ws.send(json.dumps({request: {'id': str(self.n), **body}}))
        while True:
            f = json.loads(self.ws.recv())
            if f.get('ctrl', {}).get('id') == str(self.n):
                return f['ctrl']
            self.heard.append(f)

    def wait(self, wanted, seconds=5):
        """The first frame, heard or to come, that fits."""
        self.ws.sock.settimeout(seconds)
        try:
            while True:
                for f in self.heard:
                    if wanted(f):
                        return f
                self.heard.append(json.loads(self.ws.recv()))
        except TimeoutError:
            return None
        finally:
            self.ws.sock.settimeout(10)
