import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, Json } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, _bob] = [await createUser(program), await createUser(program)];

const codes = { name: 'Codes', q: 'has:code newer_than:1d' };

/** Returns the saved searches that a client sees. */
async function listed(api: HttpClient, query = ''): Promise<Json> {
  return ok(api.get(`/api/searches${query}`));
}

test('a search is saved, listed, changed and deleted, and the audit log tells of it', async () => {
  const { api } = await createTeam(program, ada, 'searching');
  const saved = await ok(api.post('/api/searches', codes));
  assert.deepEqual(saved, { id: saved.id, ...codes });
  const path = `/api/searches/${saved.id}`;
  assert.deepEqual(await ok(api.get(path)), saved);
  const other = await ok(api.post('/api/searches', { name: 'Big', q: 'larger:1M' }));
  assert.deepEqual((await listed(api)).items, [saved, other]);
  const second = await listed(api, '?page=2&limit=1');
  assert.deepEqual(second, { items: [other], pagination: { page: 2, limit: 1, per_page: 1, total: 2 } });
  const changed = { ...saved, name: 'CODES', q: 'has:code' };
  assert.deepEqual(await ok(api.patch(path, { name: 'CODES', q: 'has:code' })), changed);
  assert.deepEqual(await ok(api.get(path)), changed);
  assert.deepEqual(await ok(api.delete(path)), { id: saved.id, deleted: true });
  assert.equal((await api.get(path)).status, 404);
  assert.equal((await api.delete(path)).status, 404);
  assert.deepEqual((await listed(api)).items, [other]);
  const { items } = await ok(api.get('/api/audit-log?limit=4'));
  assert.deepEqual(
    items.map(({ action, target }: Json) => [action, target]),
    [
      ['search.deleted', 'CODES'],
      ['search.changed', 'CODES'],
      ['search.created', 'Big'],
      ['search.created', 'Codes'],
    ],
  );
});

for (const [why, body] of [
  ['without a name', { q: 'x' }],
  ['without a query', { name: 'x' }],
  ['with an empty query', { name: 'x', q: '' }],
  ['with a name of 101 characters', { name: 'x'.repeat(101), q: 'x' }],
  ['with a name in two lines', { name: 'a\nb', q: 'x' }],
  ['with a query of 1,001 characters', { name: 'x', q: 'x'.repeat(1001) }],
] as const) {
  test(`a search ${why} is refused`, async () => {
    assert.equal((await ada.api.post('/api/searches', body)).status, 422);
  });
}

test('a name is used once in a team, without regard to case', async () => {
  const { api } = await createTeam(program, ada, 'naming');
  await ok(api.post('/api/searches', codes));
  const { id } = await ok(api.post('/api/searches', { ...codes, name: 'Others' }));
  for (const refused of [
    await api.post('/api/searches', { ...codes, name: 'codes' }),
    await api.patch(`/api/searches/${id}`, { name: 'cOdes' }),
  ]) {
    assert.equal(refused.status, 422);
    assert.equal(refused.json.violations[0].field, 'name');
  }
  await ok(ada.api.post('/api/searches', codes));
});

test('a team has a hundred searches', async () => {
  const { api } = await createTeam(program, ada, 'hoarding');
  for (let n = 0; n < 100; n += 1) await ok(api.post('/api/searches', { name: `${n}`, q: 'x' }));
  const refused = await api.post('/api/searches', { name: 'more', q: 'x' });
  assert.equal(refused.status, 422);
  assert.match(refused.json.detail, /100 saved searches/);
});
