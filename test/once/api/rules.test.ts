import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, Json } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, _bob] = [await createUser(program), await createUser(program)];

const defaults = {
  ...{ is_active: true, tags: [], mailbox: null, is_flagged: false, is_read: false, expires_in: null },
  ...{ discard: false, matched: 0, discarded: 0 },
};
const receipts = { name: 'Receipts', q: 'subject:receipt', mailbox: 'Receipts', is_read: true };

/** Names of the rules that a client sees, in order. Their positions count from 1. */
async function order(api: HttpClient): Promise<string[]> {
  const { items } = await ok(api.get('/api/rules'));
  assert.deepEqual(
    items.map(({ position }: Json) => position),
    items.map((_: Json, index: number) => index + 1),
  );
  return items.map(({ name }: Json) => name);
}

test('a rule is made, read, changed and deleted, and the audit log tells of it', async () => {
  const { api } = await createTeam(program, ada, 'ruling');
  const made = await ok(api.post('/api/rules', receipts));
  assert.deepEqual(made, { id: made.id, position: 1, ...defaults, ...receipts });
  const path = `/api/rules/${made.id}`;
  assert.deepEqual(await ok(api.get(path)), made);
  const change = { is_active: false, expires_in: 3600, tags: ['money'], mailbox: null, discard: true };
  const changed = await ok(api.patch(path, change));
  assert.deepEqual(changed, { ...made, ...change });
  assert.deepEqual((await ok(api.get('/api/rules'))).items, [changed]);
  assert.deepEqual(await ok(api.delete(path)), { id: made.id, deleted: true });
  assert.equal((await api.get(path)).status, 404);
  assert.equal((await api.patch(path, { is_read: true })).status, 404);
  const { items } = await ok(api.get('/api/audit-log?limit=3'));
  assert.deepEqual(
    items.map(({ action, target }: Json) => [action, target]),
    [
      ['rule.deleted', 'Receipts'],
      ['rule.changed', 'Receipts'],
      ['rule.created', 'Receipts'],
    ],
  );
});

test('a rule takes a duration', async () => {
  const { api } = await createTeam(program, ada, 'lasting');
  const { id } = await ok(api.post('/api/rules', { ...receipts, expires_in: '1h' }));
  assert.equal((await ok(api.get('/api/rules'))).items[0].expires_in, 3600);
  assert.equal((await ok(api.patch(`/api/rules/${id}`, { expires_in: '90d' }))).expires_in, 90 * 86_400);
});

test('rules keep an order without gaps', async () => {
  const { api } = await createTeam(program, ada, 'ordering');
  const ids: Record<string, number> = {};
  for (const [name, position] of [['a'], ['b'], ['c'], ['d', 1]] as const)
    ids[name] = (await ok(api.post('/api/rules', { name, q: 'x', position }))).id;
  assert.deepEqual(await order(api), ['d', 'a', 'b', 'c']);
  assert.equal((await ok(api.patch(`/api/rules/${ids.d}`, { position: 3 }))).position, 3);
  assert.deepEqual(await order(api), ['a', 'b', 'd', 'c']);
  assert.equal((await ok(api.patch(`/api/rules/${ids.a}`, { position: 99 }))).position, 4);
  await ok(api.delete(`/api/rules/${ids.b}`));
  assert.deepEqual(await order(api), ['d', 'c', 'a']);
});

for (const [field, body] of [
  ['name', { q: 'x' }],
  ['q', { name: 'x' }],
  ['q', { name: 'x', q: '""' }],
  ['q', { name: 'x', q: 'x'.repeat(1001) }],
  ['q', { name: 'x', q: 'x '.repeat(51) }],
  ['mailbox', { ...receipts, mailbox: '/a' }],
  ['mailbox', { ...receipts, mailbox: '' }],
  ['tags', { ...receipts, tags: Array.from({ length: 21 }, String) }],
  ['tags.0', { ...receipts, tags: ['x'.repeat(41)] }],
  ['expires_in', { ...receipts, expires_in: 0 }],
  ['expires_in', { ...receipts, expires_in: 90 * 86_400 + 1 }],
  ['expires_in', { ...receipts, expires_in: '91d' }],
  ['expires_in', { ...receipts, expires_in: 'an hour' }],
  ['position', { ...receipts, position: 0 }],
  ['discard', { ...receipts, discard: 'yes' }],
] as const) {
  test(`a rule is refused for its ${field}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const refused = await ada.api.post('/api/rules', body);
    assert.equal(refused.status, 422);
    assert.equal(refused.json.violations[0].field, field);
  });
}

test('a rule tells of an unknown field, and takes one that was read', async () => {
  const { api } = ada;
  const made = await ok(api.post('/api/rules', receipts));
  for (const refused of [
    await api.post('/api/rules', { ...receipts, flagged: true }),
    await api.patch(`/api/rules/${made.id}`, { name: 'x', flagged: true }),
  ]) {
    const message = 'is unknown; the nearest field is is_flagged';
    assert.deepEqual([refused.status, refused.json.violations], [422, [{ field: 'flagged', message }]]);
  }
  assert.deepEqual(await ok(api.patch(`/api/rules/${made.id}`, made)), made);
  await ok(api.delete(`/api/rules/${made.id}`));
});

for (const operator of [
  'is:unread',
  'in:INBOX',
  'account:qa@app.test',
  'domain:app.test',
  'newer_than:2h',
  'tag:a',
]) {
  test(`a rule does not ask what a new mail cannot tell: ${operator}`, async () => {
    const refused = await ada.api.post('/api/rules', { ...receipts, q: `receipt OR -${operator}` });
    assert.equal(refused.status, 422);
    const [violation] = refused.json.violations;
    assert.equal(violation.field, 'q');
    assert.ok(violation.message.includes(operator.split(':')[0] ?? ''), violation.message);
  });
}

test('a team has a hundred rules', async () => {
  const { api } = await createTeam(program, ada, 'legislating');
  for (let n = 0; n < 100; n += 1) await ok(api.post('/api/rules', { name: `${n}`, q: 'x' }));
  const refused = await api.post('/api/rules', { name: 'more', q: 'x' });
  assert.equal(refused.status, 422);
  assert.match(refused.json.detail, /100 rules/);
});
