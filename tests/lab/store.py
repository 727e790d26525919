#!/usr/bin/env python3
"""store.py STEP PORT [LOG] - what a client does to imlab while imlab-store.sh looks into the database. Prints TAP; state is in store.json."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from imlab_client import Tap, User, until  # noqa: E402

N = 20


def publish(tap, who, topic, first, n, what):
    answers = [who.ask('pub', topic=topic, noecho=True, head={'x-im-client-mid': f'{what}-{i}'}, content={'text': f"it's {i} \\ é \U0001f600"})
               for i in range(first, first + n)]
    seqs = [a.get('params', {}).get('seq') for a in answers]
    tap.ok(all(a['code'] == 202 for a in answers) and seqs == sorted(set(seqs)), f'{what}: {n} messages are acknowledged, seq grows', answers[-1])
    return seqs


def history(who, topic, **query):
    who.heard.clear()
    answer = who.ask('get', topic=topic, what='data', data=query)
    return answer, [f['data'] for f in who.heard if 'data' in f]


def fill(tap, port, _):
    """Users, a pair, a group, messages in both."""
    a, b = (User(port, name) for name in ('storea', 'storeb'))
    group = a.ask('sub', topic='new', set={'desc': {'public': {'fn': "it's a group"}}})['topic']
    codes = [b.ask('sub', topic=group)['code'], a.ask('sub', topic=b.id)['code'], b.ask('sub', topic=a.id)['code']]
    tap.ok(codes == [200] * 3, 'subscribed', codes)
    with open('store.json', 'w', encoding='ascii') as f:
        json.dump({'group': group, 'a': a.id, 'b': b.id}, f)
    tap.ok(publish(tap, a, group, 0, N, 'group') == list(range(1, N + 1)), 'numbers begin with 1')
    publish(tap, b, a.id, 0, N, 'p2p')


def read(tap, port, _):
    """The history of both, as far as the database has it."""
    state = json.load(open('store.json', encoding='ascii'))
    a = User(port, 'storea')
    tap.ok(a.id == state['a'], 'the account is the same')
    for topic, what in ((state['group'], 'group'), (state['b'], 'p2p')):
        tap.ok(a.ask('sub', topic=topic)['code'] == 200, f'{what}: subscribed')
        tap.ok(until(lambda t=topic: history(a, t)[0].get('params', {}).get('count') == N), f'{what}: history has all')
        answer, rows = history(a, topic, limit=5)
        tap.ok([r['head']['x-im-client-mid'] for r in rows] == [f'{what}-{i}' for i in range(N - 1, N - 6, -1)], f'{what}: newest first', answer, rows)
        tap.ok(rows[0]['content'] == {'text': f"it's {N - 1} \\ é \U0001f600"} and rows[0]['from'] == state['a' if what == 'group' else 'b'],
               f'{what}: as it was sent', rows[0])
        answer, older = history(a, topic, before=rows[-1]['seq'], since=rows[-1]['seq'] - 3)
        tap.ok(answer['code'] == 208 and [r['seq'] for r in older] == [rows[-1]['seq'] - i for i in (1, 2, 3)], f'{what}: a page', answer, older)
        answer, none = history(a, topic, since=10 ** 6)
        tap.ok(answer['code'] == 204 and not none, f'{what}: nothing there', answer)


def go_on(tap, port, _):
    """After a restart numbers are not used again."""
    state = json.load(open('store.json', encoding='ascii'))
    b = User(port, 'storeb')
    tap.ok(b.ask('sub', topic=state['group'])['code'] == 200, 'still a member')
    seqs = publish(tap, b, state['group'], 100, 3, 'again')
    tap.ok(seqs[0] > N, 'numbers go on', seqs)


def refused(tap, port, log):
    """The database does not take the row."""
    state = json.load(open('store.json', encoding='ascii'))
    b = User(port, 'storeb')
    b.ask('sub', topic=state['group'])
    answer = b.ask('pub', topic=state['group'], content='x')
    tap.ok((answer['code'], answer['text']) == (500, 'internal error'), 'a message that is not stored is not acknowledged', answer)
    text = open(log, encoding='utf-8').read()
    for line in ('failed to save message: Error 167 (22003): Out of range value', 'failed to save messagge - Error 167 (22003): Out of range value'):
        tap.ok(f'topic[{state["group"]}]: {line}' in text, f'the log says: {line}')


def stalled(tap, port, log):
    """The database stands still: one message is under way, 192 wait, all others are refused at once. READY says so to who waits."""
    state = json.load(open('store.json', encoding='ascii'))
    b = User(port, 'storeb')
    b.ask('sub', topic=state['group'])
    print('# READY', flush=True)
    sys.stdin.readline()
    codes = {}

    def hear(n):
        while len(codes) < n:
            f = json.loads(b.ws.recv()).get('ctrl', {})
            if str(f.get('id', '')).startswith('q'):
                codes[int(f['id'][1:])] = f['code']

    for i in range(200):
        b.ws.send(json.dumps({'pub': {'id': f'q{i}', 'topic': state['group'], 'noecho': True, 'content': i}}))
    hear(7)
    tap.ok(codes == {i: 503 for i in range(193, 200)}, 'what finds the queue full is refused at once', codes)
    line = f'session.go:720: s.publish: sub.broadcast channel full, topic  {state["group"]}'
    tap.ok(open(log, encoding='utf-8').read().count(line) == 7, 'the log says so, once for each')
    print('# FULL', flush=True)
    hear(200)
    tap.ok([codes[i] for i in range(193)] == [202] * 193, 'all others are acknowledged when it goes on')


def main():
    tap = Tap()
    {'fill': fill, 'read': read, 'go-on': go_on, 'refused': refused, 'stalled': stalled}[sys.argv[1]](tap, int(sys.argv[2]), *sys.argv[3:4] or [None])
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
