#!/usr/bin/env python3
"""wire.py PORT DIR PART... - say to imlab what clients said to a real Tinode 0.25.3 and compare every answer.

DIR holds the recordings. The parts: refusals, dialogue and sessions (one thing after the other), two-clients (two of forty clients that publish at
once). Each needs a server that nobody talked to. What must differ is brought to one form first: times, tokens, passwords' secrets, and the ids of users and groups, which
are matched one to one as they turn up. Everything else must be the same byte for byte; what is not stands below, and why.

A frame is awaited no longer than it takes: after each request every client asks the server's own probe ("1", answered by "0"), and what
was sent to it before that answer is all there is. Prints TAP."""
import base64
import gzip
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import ws_client  # noqa: E402
from imlab_client import KEY, Tap  # noqa: E402

NAME = re.compile(r'(?:usr|grp)[A-Za-z0-9_-]{11}(?![A-Za-z0-9_-])')
TOKEN = re.compile(r'[A-Za-z0-9+/]{67}=')
PLACEHOLDER = 'usrAAAAAAAAAAE'   # the user that nobody is

# Differences that stay (ALLOWED below):
#
# 1. Two frames about different topics that a real server sent at once may come in the other order: each topic of it is a thread of its
#    own. Compared: the order within what one topic says; dialogue and sessions: the frames of one step as a set.
# 2. two-clients: of members who joined a group at the same moment, the real server did not tell everybody that all of them are online
#    ("on" is dropped where a queue is full). imlab tells everybody. Compared: that all that was told there is told here, too.
# 3. When a user's last session leaves "me", others hear "off" there: from the real server some seconds later and with the user agent, from
#    imlab at once. Not compared.
# 4. sessions: of two sessions of a user, the real server tells that one on "me" which is not attached to a topic what happens in it; imlab
#    tells only users without any attached session. Not compared: presence on "me" of the second session.
# 5. sessions: C changed its rights while it was not attached, of which the loaded topic of the real server knows nothing, so C hears less
#    than its rights let it. Not compared: what C hears in the step after.
# 6. sessions: {get} of a topic that the session is not attached to, for members of it: the real server reads what is in the database
#    ("deleted" rows, its own row for "me"), imlab answers as if it were attached. Those two answers are not compared.


class Names:
    """The ids of the recording and ours, one to one; and the tokens."""

    def __init__(self):
        self.ours, self.theirs = {PLACEHOLDER: PLACEHOLDER}, {PLACEHOLDER: PLACEHOLDER}
        self.tokens = {}

    def to_ours(self, text):
        text = TOKEN.sub(lambda m: self.tokens.get(m[0], m[0]), text)
        return NAME.sub(lambda m: self.ours.get(m[0], m[0]), text)

    def bind(self, theirs, ours):
        return self.ours.setdefault(theirs, ours) == ours and self.theirs.setdefault(ours, theirs) == theirs


def normal(text):
    """Without what differs from run to run; ids apart."""
    text = re.sub(r'"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,2}[1-9]|\.[1-9])?Z"', '"TIME"', text)
    text = re.sub(r'"token":"[A-Za-z0-9+/]{67}="', '"token":"TOKEN"', text)
    return re.sub(r'"basic:\w+"', '"basic:LOGIN"', text)


def same(names, want, got):
    """The same frame? Ids that are new are taken to be the same ones."""
    tokens = list(zip(TOKEN.findall(want), TOKEN.findall(got)))
    want, got = normal(want), normal(got)
    if NAME.sub('ID', want) != NAME.sub('ID', got):
        return False
    names.tokens.update(tokens)
    return all(names.bind(a, b) for a, b in zip(NAME.findall(want), NAME.findall(got)))


class Server:
    def __init__(self, port):
        self.port = port

    def connect(self, key=KEY):
        return ws_client.Client('127.0.0.1', self.port, f'/v0/channels?apikey={key}')

    def account(self, login, password):
        c = self.connect()
        answers = []
        for message in ({"hi": {"id": "h", "ver": "0.25"}},
                        {"acc": {"id": "a", "user": "new", "scheme": "basic", "secret": secret(login, password), "login": True,
                                 "desc": {"public": {"fn": login}}}}):
            c.send(json.dumps(message))
            answers.append(json.loads(c.recv()))
        assert answers[1]['ctrl']['code'] == 200, answers
        return c, answers[1]['ctrl']['params']['user']


def secret(login, password):
    return base64.b64encode(f'{login}:{password}'.encode()).decode()


def fence(client):
    """All that the server sent up to now."""
    client.send('1')
    texts = []
    while (text := client.recv()) != '0':
        texts.append(text)
    return texts


# One thing after the other

TAKE_WRITE = '{"set":{"id":"10","topic":"grpQs1Ns-nAOZU","sub":{"user":"usrzY_G-74gyeM","mode":"JRPS"}}}'


OFF = re.compile(r'\{"pres":\{"topic":"me","src":"usr[^"]+","what":"off"')   # ALLOWED 3


def left_out(who, request, text):
    """ALLOWED 3 to 6, of sessions.txt."""
    if OFF.match(text):
        return True
    if text.startswith('{"pres"'):
        return (who == 'E' and '"topic":"me"' in text) or (who == 'C' and '"id":"44"' in request)
    return '"id":"47"' in text or '"id":"49"' in text


def compare_step(tap, names, what, want, got):
    """`want` and `got` are lists of (client, text), each a set of frames (ALLOWED 1)."""
    missing, extra = [], list(got)
    for who, text in want:
        at = next((i for i, (w, t) in enumerate(extra) if w == who and same(names, text, t)), None)
        if at is None:
            missing.append(f'{who} {text}')
        else:
            extra.pop(at)
    tap.ok(not missing and not extra, what, *(f'want {m}' for m in missing), *(f'got  {w} {t}' for w, t in extra))


def dialogue(tap, server, path):
    names, clients, step, want = Names(), {}, None, []

    def finish():
        if step is not None:
            got = [(w, t) for w, c in clients.items() for t in fence(c)]
            compare_step(tap, names, f'{step[0]} {step[1][:70]}', *([(w, t) for w, t in frames if not left_out(w, step[1], t)]
                                                                    for frames in (want, got)))

    for line in open(path, encoding='utf-8'):
        if line.startswith('#'):
            continue
        who, direction, text = line.rstrip('\n').split(' ', 2)
        if direction == '<':
            want.append((who, text))
            continue
        finish()
        if who not in clients:
            clients[who] = server.connect()
        step, want = (who, text), []
        clients[who].send(names.to_ours(text))
    finish()


def refusal(tap, names, server, title, lines, owner):
    """A connection of the recording of refusals. `owner` talks for the owner of a group."""
    if title == 'bad api key':
        try:
            server.connect('AQEAAAABAAD_rAp4DJh05a1HAwFT3A6L')
            tap.ok(False, title)
        except ws_client.Refused as e:
            tap.ok(e.status == 403 and normal(e.body) == '{"ctrl":{"code":403,"text":"valid API key required","ts":"TIME"}}\n', title, e.body)
        return
    client, step, want = server.connect(), None, []

    def finish():
        if step is not None:
            got = [('', t) for t in fence(client)] + [('(owner)', t) for t in owner.heard()]
            compare_step(tap, names, f'{title}: {step[:60]}', want, [g for g in got if g != ('', '0')])

    for line in lines:
        if line == '# owner takes W from the member':
            # What the member heard of it stands before it in the recording.
            heard = want.pop()
            finish()
            step, want = line, [heard]
            owner.ask(names.to_ours(TAKE_WRITE))
        elif line.startswith('> ') and line.endswith('(140044 bytes)'):
            finish()
            client.send('{"pub":{"id":"4","topic":"me","content":"' + 'y' * (140044 - 43) + '"}}')
            step = None
        elif line.startswith('> '):
            finish()
            step, want = line[2:], []
            client.send(names.to_ours(line[2:]))
        elif line.startswith('< (owner) '):
            want.append(('(owner)', line[10:]))
        elif line.startswith('< ') and line != '< 0':
            want.append(('', line[2:]))
        elif line.startswith('! closed received 1009'):
            try:
                client.recv()
                tap.ok(False, f'{title}: closed with 1009')
            except ws_client.Closed as e:
                tap.ok(e.code == 1009, f'{title}: closed with 1009', e.code)
        elif line.startswith('! closed 1000'):
            finish()
            code = client.close()
            tap.ok(code == 1000, f'{title}: closed', code)


class Owner:
    """a0004 with a group of its own."""

    def __init__(self, tap, names, server, client):
        self.client = client
        client.send('{"sub":{"id":"8","topic":"newG"}}')
        self.group = json.loads(fence(client)[0])['ctrl']['topic']
        names.bind('grpQs1Ns-nAOZU', self.group)

    def heard(self):
        """Its answers; what members do is not in the recording."""
        return [t for t in fence(self.client) if '"ctrl"' in t]

    def ask(self, text):
        self.client.send(text)


def refusals(tap, server, path):
    names, sections = Names(), []
    for line in open(path, encoding='utf-8').read().splitlines():
        if line.startswith('# ') and not line.startswith('# owner takes'):
            sections.append((line[2:], []))
        else:
            sections[-1][1].append(line)
    clients = {}
    for i in range(1, 6):
        clients[i], user = server.account(f'a{i:04}', f'secret-a{i:04}')
        if i == 4:
            names.bind('usr0SAaeKqcRw4', user)
        if i == 5:
            names.bind('usrzY_G-74gyeM', user)
    owner = Owner(tap, names, server, clients[4])
    for title, lines in sections:
        if title.startswith('owner: history'):
            owner.ask(names.to_ours('{"get":{"id":"9","topic":"grpQs1Ns-nAOZU","what":"data"}}'))
            compare_step(tap, names, title, [('', lines[0][2:])], [('', t) for t in owner.heard()])
        else:
            refusal(tap, names, server, title, lines, owner)


# Two of forty clients

class Crowd:
    """The clients of the recording that were not recorded: they join when the two first see them, and publish in the order of seq."""

    def __init__(self, server, names, group, recorded):
        self.server, self.names, self.group, self.recorded = server, names, group, recorded
        self.clients, self.due, self.next_seq = {}, {}, 1

    def join(self, user):
        if user in self.clients or user in self.recorded:
            return
        client, ours = self.server.account(f'member{len(self.clients):04}', 'secret-member')
        self.names.bind(user, ours)
        self.clients[user] = client
        client.send(self.names.to_ours(f'{{"sub":{{"id":"s","topic":"{self.group}"}}}}'))
        fence(client)

    def publish_to(self, seq):
        """All group messages of the crowd below `seq`."""
        while self.next_seq < seq:
            d = self.due.get(self.next_seq)
            if d is not None and d['from'] in self.clients:
                client = self.clients[d['from']]
                client.send(self.names.to_ours(json.dumps({"pub": {"id": "p", "topic": self.group, "head": d["head"], "content": d["content"],
                                                                   "noecho": True}})))
                fence(client)
            self.next_seq += 1


def stream(text):
    """What a frame belongs to: frames of one stream come in one order."""
    kind, body = next(iter(json.loads(text).items()))
    if kind == 'pres':
        return kind, body['topic'], body.get('src')
    if kind == 'data' or (kind == 'ctrl' and body['code'] in (202, 204, 208)):
        return 'topic', body['topic']
    return kind, ''


def two_clients(tap, server, path):
    events = [line.split(None, 3) for line in gzip.open(path, 'rt', encoding='utf-8').read().splitlines()]
    group = next(m[0] for *_, text in events if (m := re.search(r'"(grp[^"]+)","params"', text))).split('"')[1]
    names, clients, got = Names(), {}, {}
    crowd = Crowd(server, names, group, {'usr0akY6qbj1gA', 'usrLo6chT1jK5E'})
    frames = [(who, direction, json.loads(text)) for _, who, direction, text in events]
    acks = {(who, f['ctrl']['id']): f['ctrl']['params']['seq'] for who, d, f in frames if d == '<' and f.get('ctrl', {}).get('code') == 202}
    for who, d, f in frames:
        if d == '<' and f.get('data', {}).get('topic') == group:
            crowd.due[f['data']['seq']] = f['data']
    for (_, who, direction, text), (_, _, f) in zip(events, frames):
        if who not in clients:
            clients[who], got[who] = server.connect(), []
        if direction == '<':
            src = f.get('pres', {}).get('src', '')
            if f.get('pres', {}).get('topic') == group:
                crowd.join(src)
            if f.get('data', {}).get('topic') == group and group in names.ours:
                crowd.publish_to(f['data']['seq'] + 1)
            continue
        if f.get('pub', {}).get('topic') == group:
            crowd.publish_to(acks[who, f['pub']['id']])
        clients[who].send(names.to_ours(text))
        for name, client in clients.items():
            for t in fence(client):
                got[name].append(t)
                bind_answer(names, frames, name, t)
    clients['a0001'].close()
    for who in clients:
        if who != 'a0001':
            got[who] += fence(clients[who])
        want = [text for _, w, direction, text in events if w == who and direction == '<']
        compare_streams(tap, names, who, want, got[who], group)


def bind_answer(names, frames, who, text):
    """Learn our ids from the answers to {acc} and to {sub new}, which requests to come name."""
    f = json.loads(text)
    if 'ctrl' in f and ('token' in (p := f['ctrl'].get('params', {})) or 'tmpname' in p):
        theirs = next(g['ctrl'] for w, d, g in frames if w == who and d == '<' and g.get('ctrl', {}).get('id') == f['ctrl']['id'])
        if 'token' in p:
            names.bind(theirs['params']['user'], p['user'])
        else:
            names.bind(theirs['topic'], f['ctrl']['topic'])


def compare_streams(tap, names, who, want, got, group):
    mine, theirs = {}, {}
    for texts, streams, translate in ((want, theirs, names.to_ours), (got, mine, str)):
        for text in texts:
            if OFF.match(text):
                continue
            text = translate(text)
            streams.setdefault(stream(text), []).append(normal(text))
    for key in sorted(set(mine) | set(theirs), key=str):
        a, b = theirs.get(key, []), mine.get(key, [])
        if key[0] == 'pres' and key[1] == names.to_ours(group):
            # ALLOWED 2
            ok, what = all(t in b for t in a), 'presence in the group'
        else:
            ok, what = a == b, ' '.join(map(str, key))
        first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        tap.ok(ok, f'two clients: {who}, {what}: {len(a)} frames', f'{len(a)} wanted, {len(b)} got, from frame {first} on',
               *(f'want {x}' for x in a[first:first + 2]), *(f'got  {x}' for x in b[first:first + 2]))


PARTS = {
    'dialogue': (dialogue, 'dialogue.txt'),
    'sessions': (dialogue, 'sessions.txt'),
    'refusals': (refusals, 'refusals.txt'),
    'two-clients': (two_clients, 'two-clients.txt.gz'),
}


def main(port, where, parts):
    tap = Tap()
    for part in parts:
        compare, name = PARTS[part]
        compare(tap, Server(int(port)), os.path.join(where, name))
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
