import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

/** User's lists: over all accounts, and of the inbox. */
const listsOf = ({ account, inbox }: User) => [
  '/api/messages',
  `/api/accounts/${account.id}/mailboxes/${inbox}/messages`,
];

const tagged = ({ address }: User, tag: string) => address.replace('@', `+${tag}@`);
const encoded = encodeURIComponent;

test('expect=none is met once the wait has passed without a match, with an empty list', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: tagged(user, 'other'), subject: 'Another' });
  for (const list of listsOf(user)) {
    const address = encoded(tagged(user, 'none'));
    const { status, json, headers } = await user.api.get(`${list}?address=${address}&expect=none&wait=1`);
    assert.deepEqual([status, json.items, headers['x-wait-result']], [200, [], 'met'], list);
    assert.deepEqual(json.pagination, { page: 1, limit: 50, per_page: 50, total: 0 });
    assert.ok(!('near_misses' in json));
  }
});

test('expect=none is 409 with the message as soon as one comes, and at once if one is there', async () => {
  const user = await createUser(program);
  for (const list of listsOf(user)) {
    const { cursor } = await ok(user.api.get(list));
    const waiting = user.api.get(`${list}?subject=unwanted&expect=none&wait=120&since=${cursor}`);
    await deliverOne(program, { to: user.address, subject: 'Something else' });
    const id = await deliverOne(program, { to: user.address, subject: 'Unwanted' });
    const there = user.api.get(`${list}?subject=unwanted&expect=none&wait=120&page=7&explain=1`);
    for (const { status, json, headers } of await Promise.all([waiting, there])) {
      assert.equal(status, 409, list);
      assert.equal(headers['content-type'], 'application/problem+json');
      assert.equal(headers['x-wait-result'], undefined);
      assert.equal(json.code, 'unexpected_message');
      assert.equal(json.detail, `Message ${id} arrived, but none was expected`);
      const shown = await ok(user.api.get(`/api/messages?since=${cursor}&subject=unwanted&limit=1`));
      assert.deepEqual(json.message, shown.items[0]);
    }
  }
});

/** Refused queries, and the fields that the violations name. */
const refused: [query: string, fields: string[]][] = [
  ['expect=none', ['expect']],
  ['explain=1', ['explain']],
  ['expect=none&explain=1', ['expect', 'explain']],
  ['expect=some&wait=1', ['expect']],
  ['expect=&wait=1', ['expect']],
  ['expect=none&wait=1&count=2', ['count']],
  ['explain=2&wait=1', ['explain']],
  ['explain=yes&wait=1', ['explain']],
  ['expect=none&expect=none&wait=1', ['expect']],
  ['expects=none&wait=1', ['expects']],
  ['expect=none&wait=1&address=ada+run7@app.test', ['address']],
];

for (const [query, fields] of refused) {
  test(`GET of both lists with ${query} is 422 by its names`, async () => {
    const user = await createUser(program);
    for (const list of listsOf(user)) {
      const { status, json } = await user.api.get(`${list}?${query}`);
      assert.equal(status, 422, list);
      const named = new Set(json.violations.map(({ field }: { field: string }) => field));
      assert.deepEqual([...named], fields);
    }
  });
}

test('explain=0 is as if absent', async () => {
  const user = await createUser(program);
  for (const query of ['explain=0', 'explain=0&wait=0'])
    assert.ok(!('near_misses' in (await ok(user.api.get(`/api/messages?${query}`)))));
});

type Miss = { id: number; to: string; subject: string; failed: string[] };

const missesOf = async (user: User, query: string, list = '/api/messages'): Promise<Miss[]> => {
  const { status, json, headers } = await user.api.get(`${list}?${query}&wait=0&explain=1`);
  assert.deepEqual([status, headers['x-wait-result']], [200, 'timeout']);
  return json.near_misses;
};

test('near misses are mails to the address, then to similar ones, by what each fails, the newest first', async () => {
  const user = await createUser(program);
  const to = tagged(user, 'run1');
  const first = await deliverOne(program, { to: tagged(user, 'run2'), subject: 'Reset' });
  const second = await deliverOne(program, { to, subject: 'Goodbye' });
  const third = await deliverOne(program, { to: tagged(user, 'run2'), subject: 'Welcome' });
  const fourth = await deliverOne(program, { to, subject: 'Welcome', from: 'news@other.example' });
  await ok(user.api.patch(`/api/messages/${fourth}`, { is_read: true }));
  const query = `address=${encoded(to)}&subject=welcome&from=shop@example.com&unread=true`;
  assert.deepEqual(await missesOf(user, query), [
    { id: second, to, subject: 'Goodbye', failed: ['subject'] },
    { id: fourth, to, subject: 'Welcome', failed: ['unread', 'from'] },
    { id: third, to: tagged(user, 'run2'), subject: 'Welcome', failed: ['address'] },
    { id: first, to: tagged(user, 'run2'), subject: 'Reset', failed: ['subject', 'address'] },
  ]);
  // Messages from before the start are not near misses.
  const ids = (await missesOf(user, `${query}&after=${third}`)).map(({ id }) => id);
  assert.deepEqual(ids, [fourth]);
  const { cursor } = await ok(user.api.get('/api/messages'));
  assert.deepEqual(await missesOf(user, `${query}&since=${cursor}`), []);
});

test('one mail to the address is first, however many came to others that fail less', async () => {
  const user = await createUser(program);
  const to = tagged(user, 'mine');
  const id = await deliverOne(program, { to, subject: 'Receit 7' });
  for (let sent = 0; sent < 25; sent += 1)
    await deliverOne(program, { to: tagged(user, `other${sent}`), subject: 'Receipt' });
  const [first, ...others] = await missesOf(user, `address=${encoded(to)}&subject=receipt`);
  assert.deepEqual(first, { id, to, subject: 'Receit 7', failed: ['subject'] });
  assert.deepEqual(new Set(others.flatMap(({ failed }) => failed)), new Set(['address']));
});

test('a refusal of the address is a near miss, with the fields of a mail too', async () => {
  const user = await createUser(program);
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { simulates_failures: true }));
  const to = tagged(user, 'fail-550');
  await assert.rejects(deliverOne(program, { to }), /550/);
  const list = async () => (await ok(user.api.get('/api/refusals'))).items;
  // Another process may have recorded it, and writes in batches.
  await until(async () => (await list()).length > 0);
  const [{ id, at, reply }] = await list();
  const expected = { id: 0, to, subject: '', failed: ['refused'], refusal_id: id, reply, at };
  assert.deepEqual(await missesOf(user, `address=${encoded(to)}`), [expected]);
  assert.deepEqual(await missesOf(user, `q=address:${encoded(to)}+subject:x`), [expected]);
  // Similar address, and a different one.
  assert.deepEqual(await missesOf(user, `address=${encoded(user.address)}`), [expected]);
  assert.deepEqual(await missesOf(user, 'address=nobody@else.example'), []);
  const find = { address: to };
  const { status, json } = await user.api.post('/api/assert', { find, expect: [] });
  assert.deepEqual([status, json.near_misses], [417, [expected]]);
  // The wait follows an email that arrived after the refusal.
  const after = await deliverOne(program, { to: user.address });
  assert.deepEqual(await missesOf(user, `address=${encoded(to)}&after=${after}`), []);
});

test('a refusal of another team is no near miss', async () => {
  const [user, stranger] = await Promise.all([createUser(program), createUser(program)]);
  await ok(stranger.api.patch(`/api/accounts/${stranger.account.id}`, { simulates_failures: true }));
  const to = tagged(stranger, 'fail-550');
  await assert.rejects(deliverOne(program, { to }), /550/);
  assert.deepEqual(await missesOf(user, `address=${encoded(to)}`), []);
});

/** Searches, and the conditions that an email "Welcome" from shop@example.com with the text "Hello there" fails. */
const searched: [q: string, failed: string[]][] = [
  ['subject:goodbye', ['subject']],
  ['goodbye', ['q']],
  ['goodbye subject:welcome from:nobody -has:link -is:unread', ['q', 'from', 'is']],
  ['subject:welcome OR from:nobody absent', ['q']],
  ['subject:goodbye OR subject:reset', ['subject']],
  ['subject:welcome subject:reset', ['subject']],
  ['-subject:welcome', ['subject']],
  [
    'body:absent header:X-None filename:a.pdf newer_than:1h older_than:1d',
    ['body', 'header', 'filename', 'older_than'],
  ],
  ['in:Junk has:attachment larger:1M tag:none', ['in', 'has', 'larger', 'tag']],
];

test('conditions of q have the names of their fields', async () => {
  const user = await createUser(program);
  const id = await deliverOne(program, { to: user.address, subject: 'Welcome' });
  for (const [q, failed] of searched) {
    const misses = await missesOf(user, `q=${encoded(q)}`);
    assert.deepEqual(
      misses.map((miss) => [miss.id, miss.failed.toSorted()]),
      [[id, failed.toSorted()]],
      q,
    );
  }
});

test('at most five near misses are told, of the newest messages', async () => {
  const user = await createUser(program);
  const ids = [];
  for (let sent = 0; sent < 7; sent += 1)
    ids.unshift(await deliverOne(program, { to: user.address, subject: `Mail ${sent}` }));
  assert.deepEqual(
    (await missesOf(user, 'subject=absent')).map(({ id }) => id),
    ids.slice(0, 5),
  );
});

test('a wait for more messages than match tells the others alone', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Welcome' });
  const other = await deliverOne(program, { to: user.address, subject: 'Reset' });
  const misses = await missesOf(user, 'subject=welcome&count=2');
  const ids = misses.map(({ id }) => id);
  assert.deepEqual(ids, [other]);
});

test('a wait that is met has no near misses', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address });
  const list = await ok(user.api.get('/api/messages?wait=30&explain=1'));
  assert.ok(!('near_misses' in list));
});

test('a wait for a mailbox is told of mail elsewhere in the team, and of no other team', async () => {
  const [user, stranger] = await Promise.all([createUser(program), createUser(program)]);
  await deliverOne(program, { to: stranger.address, subject: 'Welcome' });
  const id = await deliverOne(program, { to: user.address, subject: 'Welcome' });
  const junk = `/api/accounts/${user.account.id}/mailboxes/${user.mailboxes.Junk}/messages`;
  const miss = { id, to: user.address, subject: 'Welcome' };
  assert.deepEqual(await missesOf(user, 'subject=welcome', junk), [{ ...miss, failed: ['mailbox_id'] }]);
  assert.deepEqual(await missesOf(user, 'mailbox=Junk'), [{ ...miss, failed: ['mailbox'] }]);
  assert.deepEqual(await missesOf(user, 'is_flagged=true'), [{ ...miss, failed: ['is_flagged'] }]);
});

test('near misses name the recipient of the envelope, not that of the header', async () => {
  const user = await createUser(program);
  const raw = 'From: shop@example.com\r\nTo: list@example.com\r\nSubject: Hidden\r\n\r\nx\r\n';
  const to = tagged(user, 'Bcc');
  await deliverOne(program, { to, raw });
  const [miss] = await missesOf(user, 'subject=absent');
  assert.equal(miss?.to, to);
});

for (const query of ['expect=none', 'explain=1']) {
  test(`a wait with ${query} whose key is revoked meanwhile is 401, and tells of no mail`, async () => {
    const user = await createUser(program);
    const waiting = user.api.get(`/api/messages?subject=late&wait=120&${query}`);
    // The wait has started as soon as a later request on another connection is answered.
    await user.api.get('/api/health');
    const session = new HttpClient(program, { cookie: user.cookie });
    await ok(session.delete(`/api/tokens/${user.tokenId}`));
    await deliverOne(program, { to: user.address, subject: 'Late' });
    const { status, json } = await waiting;
    assert.equal(status, 401);
    assert.ok(!JSON.stringify(json).includes('Late'));
  });
}

test('a mailbox that is removed during a wait for no message is 404, and no success', async () => {
  const user = await createUser(program);
  const [, inbox] = listsOf(user);
  const none = user.api.get(`${inbox}?expect=none&wait=3`);
  const some = user.api.get(`${inbox}?explain=1&wait=3`);
  await user.api.get('/api/health');
  await ok(user.api.delete(`/api/accounts/${user.account.id}`));
  assert.equal((await none).status, 404);
  const { status, json } = await some;
  assert.deepEqual([status, json.items, json.near_misses], [200, [], []]);
});

test('include=message has the only message of the page whole, of a wait too, and none of several', async () => {
  const user = await createUser(program);
  for (const list of listsOf(user)) {
    const query = `address=${encoded(tagged(user, list.length.toString()))}&include=message`;
    const waiting = ok(user.api.get(`${list}?${query}&wait=120`));
    const to = tagged(user, list.length.toString());
    const id = await deliverOne(program, { to, text: 'Your code is 493817.' });
    const whole = await ok(user.api.get(`/api/messages/${id}`));
    for (const { message } of [await waiting, await ok(user.api.get(`${list}?${query}`))])
      assert.deepEqual(message, whole);
    assert.ok(!('message' in (await ok(user.api.get(`${list}?${query}&page=2`)))));
    await deliverOne(program, { to });
    assert.ok(!('message' in (await ok(user.api.get(`${list}?${query}`)))));
    assert.equal((await ok(user.api.get(`${list}?${query}&limit=1`))).message.id, id + 1);
  }
});

test('text looks in the text alone, as a phrase, and near misses name it', async () => {
  const user = await createUser(program);
  const id = await deliverOne(program, { to: user.address, subject: 'Hello', text: 'Say "hello" \\ there' });
  for (const list of listsOf(user)) {
    const found = async (text: string) =>
      (await ok(user.api.get(`${list}?text=${encoded(text)}`))).pagination.total;
    assert.deepEqual(await Promise.all(['SAY "hello" \\', 'Hello Say', ''].map(found)), [1, 0, 1]);
    const { near_misses: missed } = await ok(
      user.api.get(`${list}?text=bye&q=${encoded('"hel')}&wait=0&explain=1`),
    );
    assert.deepEqual(missed, [{ id, to: user.address, subject: 'Hello', failed: ['text'] }]);
  }
});
