import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();

test('a domain is made, read, listed, changed and deleted', async () => {
  const { api } = user;
  const made = await ok(api.post('/api/domains', { domain: 'Shop.TEST.' }));
  assert.equal(made.domain, 'shop.test');
  assert.equal(made.is_active, true);
  assert.equal(made.mx_verified, false);
  assert.equal(made.verification_status, 'pending');
  assert.equal(made.verification_source, null);
  assert.equal(made.managed_by, 'api');
  // Its MX is first checked at any moment.
  const { last_checked_at: _at, verification_detail: _detail, ...lasting } = made;
  assert.partialDeepStrictEqual(await ok(api.get(`/api/domains/${made.id}`)), lasting);
  const list = await ok(api.get('/api/domains?domain=SHOP.test'));
  assert.partialDeepStrictEqual(list.items, [lasting]);
  assert.deepEqual(list.pagination, { page: 1, limit: 50, per_page: 50, total: 1 });

  const verified = await ok(api.patch(`/api/domains/${made.id}`, { mx_verified: true, isActive: false }));
  assert.equal(verified.verification_status, 'verified');
  assert.equal(verified.verification_source, 'manual');
  assert.equal(verified.is_active, false);
  assert.deepEqual((await ok(api.get('/api/domains?isActive=false'))).items, [verified]);
  assert.deepEqual((await ok(api.get('/api/domains?is_active=true'))).items, [user.domain]);
  const pending = await ok(api.patch(`/api/domains/${made.id}`, { mxVerified: false }));
  assert.equal(pending.verification_status, 'pending');

  assert.deepEqual(await ok(api.delete(`/api/domains/${made.id}`)), { id: made.id, deleted: true });
  assert.equal((await api.get(`/api/domains/${made.id}`)).status, 404);
  assert.equal((await api.delete(`/api/domains/${made.id}`)).status, 404);
  const again = await ok(api.post('/api/domains', { domain: 'shop.test', mxVerified: true }));
  assert.notEqual(again.id, made.id);
});

test('a deleted domain takes its accounts with it', async () => {
  const other = await createUser(program);
  await ok(other.api.delete(`/api/domains/${other.domain.id}`));
  assert.equal((await other.api.get(`/api/accounts/${other.account.id}`)).status, 404);
  assert.equal((await ok(other.api.get('/api/accounts'))).pagination.total, 0);
});

const refused: [string, unknown, number, string?][] = [
  ['no body', undefined, 400],
  ['no domain', {}, 422, 'domain'],
  ['a number', { domain: 7 }, 422, 'domain'],
  ['null', { domain: null }, 422, 'domain'],
  ['nothing', { domain: '' }, 422, 'domain'],
  ['one label', { domain: 'localhost' }, 422, 'domain'],
  ['an address', { domain: '10.0.0.1' }, 422, 'domain'],
  ['a path', { domain: 'app.test/x' }, 422, 'domain'],
  ['NUL', { domain: 'a\0.test' }, 422, 'domain'],
  ['an object', { domain: { $ne: 1 } }, 422, 'domain'],
  ['a flag as text', { domain: 'flag.test', mx_verified: 'true' }, 422, 'mx_verified'],
  [
    'spellings that disagree',
    { domain: 'flag.test', mx_verified: true, mxVerified: false },
    422,
    'mxVerified',
  ],
];

for (const [name, body, status, field] of refused) {
  test(`a domain is not made of ${name}`, async () => {
    const answer = await user.api.post('/api/domains', body);
    assert.equal(answer.status, status);
    if (field) assert.equal(answer.json.violations[0].field, field);
  });
}

test('a name is given in Unicode too, unless it could be taken for another', async () => {
  const { api } = await createUser(program);
  const cases: [name: string, unicode: string | null][] = [
    ['plain.test', null],
    ['müller.test', 'müller.test'],
    ['例え.test', '例え.test'],
    // Cyrillic letters that look like Latin ones, alone and mixed with Latin, and a dotless i.
    ['аррӏе.test', null],
    ['pаypal.test', null],
    ['bıt.test', null],
  ];
  for (const [domain, unicode] of cases)
    assert.equal((await ok(api.post('/api/domains', { domain }))).unicode, unicode, domain);
});

test('a taken name, anybody’s, is 422; an international one is the same in both spellings', async () => {
  const other = await createUser(program);
  const taken = await other.api.post('/api/domains', { domain: user.domain.domain });
  assert.equal(taken.status, 422);
  // DNS checks change the fields of an unverified domain.
  const made = await ok(user.api.post('/api/domains', { domain: 'bücher.test', mx_verified: true }));
  assert.equal(made.domain, 'xn--bcher-kva.test');
  assert.equal((await other.api.post('/api/domains', { domain: 'BÜCHER.test' })).status, 422);
  assert.deepEqual((await ok(user.api.get('/api/domains?domain=b%C3%BCcher.test'))).items, [made]);
});

test('an update needs a known field; unknown ones beside it are ignored', async () => {
  const path = `/api/domains/${user.domain.id}`;
  assert.equal((await user.api.call('PATCH', path)).status, 400);
  assert.equal((await user.api.patch(path, {})).status, 422);
  assert.equal((await user.api.patch(path, { domain: 'other.test' })).status, 422);
  assert.equal((await user.api.patch(path, { is_active: true, colour: 'red' })).status, 200);
  assert.equal((await user.api.patch(path, { is_active: 1 })).status, 422);
});

const pages: [string, number][] = [
  ['page=1&limit=1', 200],
  ['page=999&limit=200', 200],
  ['page=0', 422],
  ['page=-1', 422],
  ['page=1.5', 422],
  ['page=', 422],
  ['page=abc', 422],
  ['page=1e1', 422],
  ['page=%201', 422],
  ['page=1&page=2', 422],
  ['limit=201', 422],
  ['limit=0', 422],
  ['page[]=1', 422],
  ['isActive=yes', 422],
  ['isActive=true&is_active=false', 422],
  ['isActive=true&is_active=true', 200],
  ['colour=red&colour=blue', 422],
];

for (const [query, status] of pages) {
  test(`GET /api/domains?${query} is ${status}`, async () => {
    assert.equal((await user.api.get(`/api/domains?${query}`)).status, status);
  });
}

test('a page past the end is empty', async () => {
  const { items, pagination } = await ok(user.api.get('/api/domains?page=999&limit=200'));
  assert.deepEqual(items, []);
  assert.equal(pagination.page, 999);
});
