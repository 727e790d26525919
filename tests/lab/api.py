#!/usr/bin/env python3
"""api.py PORT... - the im-server dialect of imlab: accounts, friends, a group over HTTP; sessions that use them. Several ports are nodes of
one cluster, asked in turn. Prints TAP."""
import base64
import http.client
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import ws_client  # noqa: E402
from imlab_client import KEY, Tap, User, until  # noqa: E402

PORTS = itertools.cycle([int(p) for p in sys.argv[1:]])
COUNT = itertools.count()


class Member(User):
    """A user of a tenant."""

    def __init__(self, port, login):
        self.heard, self.n = [], 0
        self.ws = ws_client.Client('127.0.0.1', port, f'/v0/channels?apikey={KEY}')
        self.hi = self.ask('hi', ver='0.25', tenant='006')
        secret = base64.b64encode(f'{login}:secret-of-mine'.encode()).decode()
        answer = self.ask('acc', user='new', scheme='basic', username=login, registration_type=0, tenant_code='006', secret=secret, login=True)
        self.id, self.token = answer['params']['user'], answer['params']['token']

    def http(self, method, path, body=None, key=None, **headers):
        """(status, answer)"""
        fields = {'X-MeetingIM-APIKey': KEY, 'X-IM-Schema': '1', 'X-Request-ID': str(next(COUNT)), 'Authorization': f'Bearer {self.token}'}
        if method == 'POST':
            fields['Idempotency-Key'] = key or str(next(COUNT))
        fields.update({k.replace('_', '-'): v for k, v in headers.items()})
        c = http.client.HTTPConnection('127.0.0.1', next(PORTS), timeout=5)
        c.request(method, '/v1/im/' + path, json.dumps(body) if body is not None else None, {k: v for k, v in fields.items() if v})
        r = c.getresponse()
        answer = r.status, json.loads(r.read())
        c.close()
        return answer


def refused(status, code):
    return status, {'error': {'code': code}}


def headers(tap, a):
    for want, change in ((refused(403, 'api_key'), {'X_MeetingIM_APIKey': ''}), (refused(400, 'headers'), {'X_IM_Schema': '2'}),
                         (refused(400, 'headers'), {'X_Request_ID': ''}), (refused(401, 'token'), {'Authorization': ''}),
                         (refused(401, 'token'), {'Authorization': 'Bearer ' + 'eHh4' * 17})):
        got = a.http('GET', 'settings', **change)
        tap.ok(got == want, f'without {list(change)[0]}', got)
    got = a.http('POST', 'groups', {}, Idempotency_Key='')
    tap.ok(got == refused(400, 'idempotency_key'), 'a write without its key', got)
    got = a.http('GET', 'settings')
    tap.ok(got == (200, {'group_invite_verification': False}), 'settings', got)
    got = a.http('GET', 'nothing')
    tap.ok(got == refused(404, 'no_such_path'), 'a path that is none', got)


def friends(tap, a, b):
    got = a.http('POST', 'conversations/p2p', {'peer_user_id': b.id})
    tap.ok(got == refused(403, 'not_friends'), 'strangers have no conversation', got)
    status, asked = a.http('POST', 'friend-requests', {'target_user_id': b.id, 'message': 'loadtest', 'source': 'search', 'source_topic': ''})
    tap.ok(status == 200 and asked['status'] == 'pending', 'asked', asked)
    got = a.http('POST', f'friend-requests/{asked["request_id"]}/accept')
    tap.ok(got == refused(404, 'request_not_found'), 'only who was asked can accept', got)
    status, made = b.http('POST', f'friend-requests/{asked["request_id"]}/accept')
    tap.ok(status == 200 and made['status'] == 'friend' and made['topic'].startswith('p2p'), 'accepted', made)
    topic = made['topic']
    got = a.http('POST', 'friend-requests', {'target_user_id': b.id})
    tap.ok(got == (200, {'status': 'friend', 'topic': topic}), 'asked again: friends already', got)
    got = a.http('POST', 'conversations/p2p', {'peer_user_id': b.id})
    tap.ok(got == (200, {'topic': topic, 'relation': 'friend'}), 'their conversation', got)
    got = b.http('GET', 'friends')
    tap.ok(got == (200, {'items': [{'user_id': a.id, 'topic': topic, 'relation': 'friend'}], 'next_cursor': ''}), 'friends', got)
    codes = [u.ask('sub', topic=topic)['code'] for u in (a, b)]
    tap.ok(codes == [200, 200], 'both subscribe to the topic by its name', codes)
    head = {'mime': 'application/json', 'x-im-schema': 1, 'x-im-type': 'text', 'x-im-client-mid': 'api-1'}
    content = {'text': 'loadtest', 'run_id': 'api', 'scenario': 'p2p', 'sender_index': 1, 'message_index': 1, 'sent_at_unix_nano': 0}
    answer = a.ask('pub', topic=topic, noecho=False, head=head, content=content)
    tap.ok(answer['code'] == 202 and answer['params']['seq'] == 2, 'a message, behind that of the system', answer)
    for u in (a, b):
        f = u.wait(lambda f: 'data' in f)
        tap.ok(f and f['data']['topic'] == topic and f['data']['head'] == head and f['data']['content'] == content and f['data']['from'] == a.id,
               'it is heard on the topic by its name', f)


def group(tap, a, others):
    body, key = {'name': 'all', 'member_ids': [others[0].id]}, 'once'
    port = next(PORTS)

    def same_node(body):
        # an answer is repeated by the node that gave it
        global PORTS
        PORTS, before = itertools.repeat(port), PORTS
        try:
            return a.http('POST', 'groups', body, key=key)
        finally:
            PORTS = before

    status, made = same_node(body)
    tap.ok(status == 200 and made['joined'] == 1, 'a group with a member', made)
    tap.ok(same_node(body) == (200, made), 'the same request again makes no second group')
    got = same_node({'name': 'other'})
    tap.ok(got == refused(409, 'idempotency_key_reused'), 'another one with its key is a conflict', got)
    topic = made['topic']
    got = a.http('POST', f'groups/{topic}/invitations', {'user_ids': [a.id] * 101})
    tap.ok(got == refused(400, 'batch_size'), 'more than 100 at once', got)
    ids = [u.id for u in others]
    got = a.http('POST', f'groups/{topic}/invitations', {'user_ids': ids})
    tap.ok(got == (200, {'topic': topic, 'joined': len(ids) - 1, 'already': 1, 'unknown': 0}), 'invited', got)
    members, cursor = [], '0'
    while cursor:
        status, page = a.http('GET', f'groups/{topic}/members?cursor={cursor}&limit=2')
        tap.ok(status == 200 and len(page['items']) <= 2, 'a page of members', page)
        members += [m['user_id'] for m in page['items']]
        cursor = page['next_cursor']
    tap.ok(sorted(members) == sorted([a.id, *ids]), 'all of them, each once', members)
    users = [a, *others]
    codes = [u.ask('sub', topic=topic)['code'] for u in users]
    tap.ok(codes == [200] * len(users), 'all subscribe', codes)
    answer = others[-1].ask('pub', topic=topic, head={'x-im-client-mid': 'api-2'}, content={'text': 'x'})
    got = [u.wait(lambda f: f.get('data', {}).get('head', {}).get('x-im-client-mid') == 'api-2') for u in users]
    tap.ok(answer['code'] == 202 and all(got), 'all hear a message', answer, got)


def main():
    tap = Tap()
    users = [Member(next(PORTS), f'api{i}') for i in range(5)]
    tap.ok(users[0].hi['code'] == 201, 'hello with a tenant', users[0].hi)
    c = ws_client.Client('127.0.0.1', next(PORTS), f'/v0/channels?apikey={KEY}')
    c.send('{"hi":{"id":"1","ver":"0.25"}}')
    tap.ok(json.loads(c.recv())['ctrl']['code'] == 400, 'hello without one')
    headers(tap, users[0])
    friends(tap, users[0], users[1])
    group(tap, users[0], users[1:])
    text = http.client.HTTPConnection('127.0.0.1', next(PORTS), timeout=5)
    text.request('GET', '/metrics')
    lines = text.getresponse().read().decode()
    tap.ok(until(lambda: '\nim_up 1\n' in lines and 'im_message_publish_stage_duration_seconds_bucket{stage="save",le="+Inf"}' in lines, 1),
           'metrics', lines)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
