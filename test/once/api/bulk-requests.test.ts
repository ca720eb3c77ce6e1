import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, idsOf, ok, type User } from '#test/support/program/user.ts';

const program = await programOfAll();

const bulk = (user: Pick<User, 'api'>, body: Json): Promise<Json> =>
  ok(user.api.post('/api/messages/bulk', body));
const end = { done: true, cursor: null };
test('a changed cursor reaches no other team', async () => {
  const [user, stranger] = [await createUser(program), await createUser(program)];
  await deliverOne(program, { to: stranger.address });
  const most = Number.MAX_SAFE_INTEGER;
  for (const cursor of [`${most}.${most}`, '0.0', `1.${most}`])
    assert.equal((await bulk(user, { q: '', action: 'delete', cursor })).matched, 0);
  assert.equal((await ok(stranger.api.get('/api/messages'))).items.length, 1);
});

for (const [name, body, field] of [
  ['neither q nor ids', { action: 'read' }, 'q'],
  ['q and ids', { q: 'a', ids: [1], action: 'read' }, 'ids'],
  ['no action', { q: 'a' }, 'action'],
  ['an unknown action', { q: 'a', action: 'archive' }, 'action'],
  ['a number for q', { q: 7, action: 'read' }, 'q'],
  ['null for q', { q: null, action: 'read' }, 'q'],
  ['a q that is too long', { q: 'x'.repeat(1001), action: 'read' }, 'q'],
  ['one id for ids', { ids: 7, action: 'read' }, 'ids'],
  ['a text among ids', { ids: ['7'], action: 'read' }, 'ids.0'],
  ['1,001 ids', { ids: Array.from({ length: 1001 }, (_, i) => i + 1), action: 'read' }, 'ids'],
  ['a move without a mailbox', { q: 'a', action: 'move' }, 'mailbox'],
  ['a move to a number', { q: 'a', action: 'move', mailbox: 7 }, 'mailbox'],
  ['a tag without its name', { q: 'a', action: 'tag' }, 'tag'],
  ['a tag of several', { q: 'a', action: 'untag', tag: 'a,b' }, 'tag'],
  ['a tag that is too long', { q: 'a', action: 'tag', tag: 'x'.repeat(41) }, 'tag'],
  ['a mailbox beside another action than move', { q: '', mailbox: 'Trash', action: 'delete' }, 'mailbox'],
  ['a mailbox of messages to tag', { ids: [1], mailbox: 'Trash', action: 'tag', tag: 'a' }, 'mailbox'],
  ['a tag beside another action', { q: '', tag: 'paid', action: 'read', dry_run: true }, 'tag'],
  ['a tag of messages to move', { q: '', tag: 'paid', action: 'move', mailbox: 'Trash' }, 'tag'],
  ['a q of an empty phrase', { q: '""', action: 'delete' }, 'q'],
  ['a q of one quote', { q: '"', action: 'delete' }, 'q'],
  ['a q of no empty phrase', { q: '-""', action: 'delete' }, 'q'],
  ['a q of a space', { q: ' ', action: 'delete' }, 'q'],
  ['a text for dry_run', { q: 'a', action: 'read', dry_run: 'true' }, 'dry_run'],
  ['a text for an account', { q: 'a', action: 'read', account_id: '7' }, 'account_id'],
  ['a cursor of other text', { q: 'a', action: 'read', cursor: 'abc' }, 'cursor'],
  ['a cursor beyond numbers', { q: 'a', action: 'read', cursor: '9999999999999999.1' }, 'cursor'],
] as const) {
  test(`${name} is 422`, async () => {
    const user = await createUser(program);
    await deliverOne(program, { to: user.address });
    const before = await ok(user.api.get('/api/messages'));
    const { status, json } = await user.api.post('/api/messages/bulk', body);
    assert.deepEqual([status, json.violations?.[0].field], [422, field]);
    assert.deepEqual((await ok(user.api.get('/api/messages'))).items, before.items);
  });
}

test('other methods are 405, though a message has its id in the same place', async () => {
  const user = await createUser(program);
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const headers = { 'x-api-key': user.key };
    const answer = await fetch(`${program.baseUrl}/api/messages/bulk`, { method, headers });
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], method);
  }
});

test('1,000 ids are taken', async () => {
  const user = await createUser(program);
  const id = await deliverOne(program, { to: user.address });
  const ids = [id, ...Array.from({ length: 999 }, (_, i) => 900_000_000 + i)];
  const { matched, changed } = await bulk(user, { ids, action: 'read' });
  assert.deepEqual([matched, changed], [1, 1]);
});

test('it acts on exactly what the list with the same q shows, whatever the language says', async () => {
  const user = await createUser(program);
  const ids = [];
  for (const subject of ['Invoice 1', 'Invoice 2', 'Welcome', 'Goodbye'])
    ids.push(await deliverOne(program, { to: user.address, subject }));
  const [first, second] = ids;
  await ok(user.api.patch(`/api/messages/${first}`, { is_read: true, tags: ['paid'] }));
  await bulk(user, { ids: [second], action: 'move', mailbox: 'Trash' });
  await ok(
    user.api.post(`/api/accounts/${user.account.id}/messages/send`, { to: user.address, subject: 'Sent' }),
  );
  const found = async (q: string) =>
    idsOf(await ok(user.api.get(`/api/messages?q=${encodeURIComponent(q)}`)));
  for (const q of [
    ...['', 'invoice', '-invoice', 'invoice OR welcome', 'is:unread', 'tag:paid', '-tag:paid', 'in:trash'],
    ...[
      'in:sent',
      'in:inbox is:unread',
      'subject:sent',
      'newer_than:1d',
      'older_than:1d',
      'domain:nowhere.test',
    ],
    ...[`address:${user.address}`, `account:${user.address} -is:read`],
  ]) {
    const shown = await found(q);
    const asked = { q, action: 'flag' };
    assert.equal((await bulk(user, { ...asked, dry_run: true })).matched, shown.length, q);
    assert.deepEqual(await bulk(user, asked), { matched: shown.length, changed: shown.length, ...end }, q);
    const flagged = [...(await found('is:flagged')), ...(await found('is:flagged in:sent'))];
    assert.deepEqual(flagged.toSorted(), shown.toSorted(), q);
    await bulk(user, { ids: shown, action: 'unflag' });
  }
  // An action that takes its messages out of the list still ends.
  assert.deepEqual(await bulk(user, { q: 'is:unread', action: 'read' }), { matched: 4, changed: 4, ...end });
  assert.deepEqual(await bulk(user, { q: 'is:unread', action: 'read' }), { matched: 0, changed: 0, ...end });
  const untag = { q: 'tag:paid', action: 'untag', tag: 'paid' };
  assert.deepEqual(await bulk(user, untag), { matched: 1, changed: 1, ...end });
});
