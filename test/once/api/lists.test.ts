import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, idsOf, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const inbox: string = `/api/accounts/${user.account.id}/mailboxes/${user.inbox}/messages`;

test('messages come newest first, in pages, with a cursor', async () => {
  const other = await createUser(program);
  const path = `/api/accounts/${other.account.id}/mailboxes/${other.inbox}/messages`;
  const ids = [];
  for (const subject of ['one', 'two', 'three'])
    ids.unshift(await deliverOne(program, { to: other.address, subject }));
  const list = await ok(other.api.get(path));
  assert.deepEqual(idsOf(list), ids);
  assert.equal(list.cursor, 3);
  const second = await ok(other.api.get(`${path}?page=2&limit=2`));
  assert.deepEqual(idsOf(second), ids.slice(2));
  assert.deepEqual(second.pagination, { page: 2, limit: 2, per_page: 2, total: 3 });
  assert.deepEqual(idsOf(await ok(other.api.get(`/api/messages?since=2`))), ids.slice(0, 1));
  assert.deepEqual(idsOf(await ok(other.api.get(`${path}?after=${ids[2]}`))), ids.slice(0, 2));
});

test('filters over all accounts: to, from, subject, mailbox; copies in Sent only where asked for', async () => {
  const other = await createUser(program);
  const second = await ok(other.api.post('/api/accounts', { address: `second@${other.domain.domain}` }));
  const sent = { to: [second.address], subject: 'From one to two', text: 'x' };
  assert.equal((await other.api.post(`/api/accounts/${other.account.id}/messages/send`, sent)).status, 204);
  const received = await deliverOne(program, { to: other.address, subject: 'Outside' });
  const count = async (query: string) => (await ok(other.api.get(`/api/messages?${query}`))).pagination.total;
  assert.equal(await count(''), 2);
  assert.equal(await count(`to=${second.address.toUpperCase()}`), 1);
  assert.equal(await count(`from=${other.address}`), 1);
  assert.equal(await count('subject=OUTSIDE'), 1);
  assert.equal(await count('subject=nowhere'), 0);
  assert.equal(await count('mailbox=Sent'), 1);
  assert.equal(await count('mailbox=sent&from=nobody@example.com'), 0);
  assert.equal(await count('mailbox=inbox'), 2);
  assert.ok(idsOf(await ok(other.api.get('/api/messages'))).includes(received));
});

test('both lists take the same filters, alone, combined and with wait', async () => {
  const other = await createUser(program);
  const path = `/api/accounts/${other.account.id}/mailboxes/${other.inbox}/messages`;
  const file = { filename: 'a.txt', content: 'x' };
  const to = other.address;
  const first = await deliverOne(program, { to, subject: 'Invoice one', from: 'Shop <shop@one.example>' });
  const second = await deliverOne(program, { to, subject: 'Invoice two', attachments: [file] });
  const third = await deliverOne(program, {
    to: to.replace('@', '+tag@'),
    subject: 'Welcome',
    text: 'invoice',
  });
  await ok(other.api.patch(`/api/messages/${first}`, { is_read: true, is_flagged: true }));
  const cases: [string, number[]][] = [
    ['q=invoice', [third, second, first]],
    ['q=%22%22', [third, second, first]],
    ['to=%2Btag@', [third]],
    [`to=${to.toUpperCase()}`, [third, second, first]],
    ['from=SHOP@one.example', [first]],
    ['subject=INVOICE', [second, first]],
    ['unread=true', [third, second]],
    ['unread=false', [first]],
    ['is_flagged=true', [first]],
    ['isFlagged=false', [third, second]],
    ['flagged=true', [first]],
    ['has_attachments=true', [second]],
    ['hasAttachments=false', [third, first]],
    ['unread=true&has_attachments=false', [third]],
    ['unread=true&subject=invoice', [second]],
    ['q=invoice&unread=true&is_flagged=false&has_attachments=true&from=nobody', []],
    [`q=invoice&to=${to}&unread=false&is_flagged=true&has_attachments=false&subject=one`, [first]],
    [`unread=true&after=${second}`, [third]],
    ['has_attachments=false&since=1', [third]],
  ];
  for (const list of ['/api/messages', path]) {
    for (const [query, ids] of cases) {
      const found = await ok(other.api.get(`${list}?${query}`));
      assert.deepEqual([idsOf(found), found.pagination.total], [ids, ids.length], `${list}?${query}`);
      const waited = await other.api.get(`${list}?${query}&wait=0`);
      assert.deepEqual(idsOf(waited.json), ids, `${list}?${query}&wait=0`);
      assert.equal(waited.headers['x-wait-result'], ids.length > 0 ? 'met' : 'timeout');
    }
  }
});

test('a wait by flags is met by a change of an earlier message, and by no other', async () => {
  const other = await createUser(program);
  const path = `/api/accounts/${other.account.id}/mailboxes/${other.inbox}/messages`;
  const first = await deliverOne(program, { to: other.address });
  const second = await deliverOne(program, { to: other.address });
  for (const list of ['/api/messages', path]) {
    await ok(other.api.patch(`/api/messages/${second}`, { is_flagged: false }));
    const waiting = other.api.get(`${list}?is_flagged=true&wait=30`);
    await deliverOne(program, { to: other.address });
    await ok(other.api.patch(`/api/messages/${first}`, { is_read: true }));
    await ok(other.api.patch(`/api/messages/${second}`, { is_flagged: true }));
    const { json, headers } = await waiting;
    assert.deepEqual([idsOf(json), headers['x-wait-result']], [[second], 'met']);
  }
});

test('a wait by attachments is met by a mail that has one', async () => {
  const { cursor } = await ok(user.api.get('/api/messages'));
  const waiting = user.api.get(`${inbox}?has_attachments=true&unread=true&wait=30&since=${cursor}`);
  await deliverOne(program, { to: user.address, subject: 'bare' });
  const attachments = [{ filename: 'a.txt', content: 'x' }];
  const id = await deliverOne(program, { to: user.address, attachments });
  const { json, headers } = await waiting;
  assert.deepEqual([idsOf(json), headers['x-wait-result']], [[id], 'met']);
});

for (const query of [
  ...['unread=1', 'unread=yes', 'is_flagged=TRUE', 'has_attachments=no'],
  ...['address=%20', 'tag=%20%09'],
]) {
  test(`GET of both lists with ${query} is 422`, async () => {
    for (const list of ['/api/messages', inbox]) {
      const { status, json } = await user.api.get(`${list}?${query}&wait=1`);
      assert.equal(status, 422, list);
      assert.equal(json.violations[0].field, query.replace(/=.*/, ''));
    }
  });
}

test('a wait for messages that are there is met at once', async () => {
  const id = await deliverOne(program, { to: user.address, subject: 'already here' });
  const { json, headers } = await user.api.get('/api/messages?wait=30&subject=already%20here');
  assert.deepEqual(idsOf(json), [id]);
  assert.equal(headers['x-wait-result'], 'met');
});

test('a wait ends as soon as enough messages are there, and no earlier', async () => {
  const { cursor } = await ok(user.api.get('/api/messages'));
  const waiting = user.api.get(`${inbox}?wait=30&count=2&q=awaited&since=${cursor}`);
  await deliverOne(program, { to: user.address, subject: 'awaited one' });
  await deliverOne(program, { to: user.address, subject: 'something else' });
  const second = await deliverOne(program, { to: user.address, subject: 'awaited two' });
  const { json, headers } = await waiting;
  assert.equal(headers['x-wait-result'], 'met');
  assert.equal(json.pagination.total, 2);
  assert.equal(json.items[0].id, second);
});

test('a wait that is not met ends in time with the messages that are there', async () => {
  const { cursor } = await ok(user.api.get('/api/messages'));
  await deliverOne(program, { to: user.address });
  const begun = performance.now();
  const { status, json, headers } = await user.api.get(`/api/messages?wait=1&count=2&since=${cursor}`);
  assert.equal(status, 200);
  assert.equal(headers['x-wait-result'], 'timeout');
  assert.equal(json.items.length, 1);
  const ms = performance.now() - begun;
  assert.ok(ms >= 950 && ms < 5000, `${ms} ms`);
});

test('after= counts from a message, a deleted one too; one that never was is 422', async () => {
  const first = await deliverOne(program, { to: user.address, subject: 'before' });
  await ok(user.api.delete(`/api/messages/${first}`));
  const waiting = user.api.get(`/api/messages?wait=30&after=${first}`);
  const second = await deliverOne(program, { to: user.address, subject: 'behind' });
  assert.deepEqual(idsOf((await waiting).json), [second]);
  assert.equal((await user.api.get('/api/messages?wait=1&after=999999')).status, 422);
  const other = await createUser(program);
  assert.equal(
    (await other.api.get(`/api/messages?wait=1&after=${second}`)).status,
    422,
    "another's is none",
  );
});

for (const query of [
  'wait=121',
  'wait=-1',
  'wait=x',
  'count=0',
  'count=201',
  'after=-1',
  'since=-1',
  'wait=1&wait=2',
]) {
  test(`GET /api/messages?${query} is 422`, async () => {
    assert.equal((await user.api.get(`/api/messages?${query}`)).status, 422);
  });
}

test('a hundred waits of one user are met by one mail each', async () => {
  const { cursor } = await ok(user.api.get('/api/messages'));
  const waits = Array.from({ length: 100 }, () => user.api.get(`/api/messages?wait=60&since=${cursor}`));
  await deliver(program, { to: user.address });
  for (const { headers } of await Promise.all(waits)) assert.equal(headers['x-wait-result'], 'met');
});

test('an empty filter and after=0 are as if absent', async () => {
  const all = idsOf(await ok(user.api.get(inbox)));
  assert.notDeepEqual(all, []);
  const empty = ['q=', 'to=', 'from=', 'subject=', 'unread=', 'is_flagged=', 'has_attachments=', 'after=0'];
  for (const query of [...empty, empty.join('&')])
    assert.deepEqual(idsOf(await ok(user.api.get(`${inbox}?${query}`))), all, query);
  assert.equal((await user.api.get('/api/messages?mailbox=')).status, 200);
  assert.equal((await user.api.get('/api/accounts?address=&isActive=')).json.items.length, 1);
  assert.equal((await user.api.get('/api/domains?domain=&is_active=')).json.items.length, 1);
  for (const query of ['page=', 'limit=', 'wait=', 'count=', 'since=', 'after='])
    assert.equal((await user.api.get(`${inbox}?${query}`)).status, 422, query);
});

/** Requests with a query parameter that does not exist, and the nearest existing one. */
const misspelt: [path: string, parameter: string, nearest: RegExp][] = [
  ['/api/messages?is_read=false', 'is_read', /the parameters are page,.* unread, /],
  ['/api/messages?subjekt=x&page=1', 'subjekt', /nearest parameter is subject$/],
  ['/api/messages?hasAttachment=true', 'hasAttachment', /nearest parameter is hasAttachments$/],
  ['/api/domains?name=app.test', 'name', /the parameters are page, limit, domain, /],
  ['/api/accounts?isactive=true', 'isactive', /nearest parameter is isActive$/],
  ['/api/tokens?per_page=5', 'per_page', /the parameters are page, limit/],
  ['/api/tokens?sort=asc', 'sort', /the parameters are page, limit/],
  ['/api/auth/session?x=1', 'x', /accepts no query parameters$/],
  ['/api/events?onse=1', 'onse', /nearest parameter is once$/],
];

for (const [path, parameter, nearest] of misspelt) {
  test(`${path} is refused, since a misspelt filter would match everything`, async () => {
    const { status, json } = await user.api.get(path);
    assert.equal(status, 422);
    assert.equal(json.code, 'validation_failed');
    const fields = json.violations.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields, [parameter]);
    assert.match(json.violations[0].message, nearest);
  });
}

test('unknown parameters are refused of any number and length, by any method', async () => {
  const many = Array.from({ length: 200 }, (_, at) => `p${at}=1`).join('&');
  assert.equal((await user.api.get(`/api/messages?${many}`)).status, 422);
  const long = await user.api.get(`/api/messages?${'x'.repeat(5000)}=1`);
  assert.equal(long.status, 422);
  assert.ok(JSON.stringify(long.json).length < 1000);
  assert.equal((await user.api.call('DELETE', `/api/accounts/${user.account.id}?force=true`)).status, 422);
  assert.equal((await user.api.get(`/api/messages?team_id=${user.account.id}999`)).status, 404);
});
