import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const program = await programOfAll();

const bulk = (user: Pick<User, 'api'>, body: Json): Promise<Json> =>
  ok(user.api.post('/api/messages/bulk', body));

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

test('viewers and keys that only read or send may not, in a dry run neither', async () => {
  const [ada, bob] = [await createUser(program), await createUser(program)];
  const team = await createTeam(program, ada, 'checkout');
  await join(program, team, bob, 'viewer');
  await deliverOne(program, { to: team.address });
  const readers = [
    [sessionOf(program, bob, team.id), 'forbidden_role'],
    [(await keyOf(program, team.api, { scope: 'read' })).api, 'insufficient_scope'],
    [(await keyOf(program, team.api, { scope: 'send' })).api, 'insufficient_scope'],
  ] as const;
  for (const [api, code] of readers) {
    for (const dry_run of [true, false]) {
      const refused = await api.post('/api/messages/bulk', { q: '', action: 'delete', dry_run });
      assert.deepEqual([refused.status, refused.json.code], [403, code]);
    }
  }
  await join(program, team, await createUser(program), 'member');
  assert.equal((await ok(team.api.get('/api/messages'))).items.length, 1);
  assert.equal((await bulk(team, { q: '', action: 'delete' })).changed, 1);
});
