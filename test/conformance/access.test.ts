import assert from 'node:assert/strict';
import { createApiKey, keepApiKey, revokeApiKey } from '#core/access/api-keys.ts';
import { bootstrap } from '#core/access/bootstrap.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

onEachStore('users are found by id and by e-mail, which is taken once', async ({ store }) => {
  const createdAt = new Date('2026-11-21T10:00:00.123Z');
  const user = await store.users.insert('a@team.test', 'hash', createdAt);
  assert.ok(user);
  assert.deepEqual(user, { id: user.id, email: 'a@team.test', createdAt });
  assert.equal(await store.users.insert('a@team.test', null, createdAt), null);
  assert.deepEqual(await store.users.find(user.id), user);
  assert.deepEqual(await store.users.findByEmail('a@team.test'), { user, passwordHash: 'hash' });
  await store.users.setPassword(user.id, 'other');
  assert.deepEqual(await store.users.findByEmail('a@team.test'), { user, passwordHash: 'other' });
  assert.equal(await store.users.find(4711), null);
  assert.equal(await store.users.findByEmail('nobody@team.test'), null);
  const service = await newUser(store, 'namespace/team');
  assert.equal((await store.users.findByEmail('namespace/team'))?.passwordHash, null);
  assert.notEqual(service, user.id);
});

onEachStore('of many who want one e-mail, one gets it', async ({ store }) => {
  const attempts = Array.from({ length: 10 }, () => store.users.insert('a@team.test', null, new Date()));
  assert.equal((await Promise.all(attempts)).filter((user) => user !== null).length, 1);
});

onEachStore('a session lives until it ends, is extended, or is removed', async ({ store, owner }) => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, seconds));
  await store.sessions.insert('h1', owner, at(10));
  const user = await store.users.find(owner);
  assert.deepEqual(await store.sessions.find('h1', at(9)), { user, expiresAt: at(10) });
  assert.equal(await store.sessions.find('h1', at(10)), null);
  await store.sessions.extend('h1', at(20));
  assert.deepEqual(await store.sessions.find('h1', at(10)), { user, expiresAt: at(20) });
  assert.equal(await store.sessions.find('h2', at(0)), null);
  await store.sessions.remove('h1');
  await store.sessions.remove('h1');
  assert.equal(await store.sessions.find('h1', at(0)), null);
});

onEachStore('sessions end for all others of a user, or when their time is over', async ({ store, owner }) => {
  const other = await newUser(store, 'other@team.test');
  const start = new Date(0);
  const sessions = [
    ['a', owner, 10],
    ['b', owner, 20],
    ['c', owner, 30],
    ['d', other, 10],
  ] as const;
  for (const [hash, user, until] of sessions) await store.sessions.insert(hash, user, new Date(until));
  const living = async () => {
    const found = [];
    for (const [hash] of sessions) if (await store.sessions.find(hash, start)) found.push(hash);
    return found;
  };
  await store.sessions.removeOthers(owner, 'b');
  assert.deepEqual(await living(), ['b', 'd']);
  await store.sessions.removeExpired(new Date(10));
  assert.deepEqual(await living(), ['b']);
  await store.sessions.removeOthers(owner, '');
  assert.deepEqual(await living(), []);
});

onEachStore(
  'keys are found by hash, listed newest first, removed by their owner',
  async ({ store, owner }) => {
    const stranger = await newUser(store, 'stranger@team.test');
    const createdAt = new Date('2026-11-21T10:00:00Z');
    const insert = (who: number, name: string) =>
      store.apiKeys.insert(who, { name, prefix: `sp_${name}`, hash: `hash of ${name}`, createdAt });
    const [first, second] = [await insert(owner, 'a'), await insert(owner, 'b')];
    assert.ok(first && second);
    const { id } = first;
    assert.deepEqual(first, { id, name: 'a', prefix: 'sp_a', managedBy: null, createdAt, lastUsedAt: null });
    assert.deepEqual(await store.apiKeys.find(owner, id), first);
    assert.equal(await store.apiKeys.find(stranger, id), null);
    assert.equal(await insert(stranger, 'a'), null, 'a hash is taken once');
    assert.deepEqual(await store.apiKeys.list(owner, wholePage), { items: [second, first], total: 2 });
    assert.deepEqual(await store.apiKeys.list(owner, { page: 2, limit: 1 }), { items: [first], total: 2 });
    assert.deepEqual(await store.apiKeys.list(stranger, wholePage), { items: [], total: 0 });
    const usedAt = new Date('2026-11-21T11:00:00Z');
    await store.apiKeys.touch(first.id, usedAt);
    assert.deepEqual(await store.apiKeys.findByHash('hash of a'), {
      key: { ...first, lastUsedAt: usedAt },
      user: await store.users.find(owner),
    });
    assert.equal(await store.apiKeys.findByHash('hash of c'), null);
    assert.equal(await store.apiKeys.remove(stranger, first.id), false);
    assert.equal(await store.apiKeys.remove(owner, first.id), true);
    assert.equal(await store.apiKeys.remove(owner, first.id), false);
    assert.equal(await store.apiKeys.findByHash('hash of a'), null);
  },
);

onEachStore(
  'a key that a Kubernetes resource manages is told apart, and only it revokes it',
  async ({ store, owner }) => {
    const ports = { apiKeys: store.apiKeys, clock: () => new Date() };
    const mine = await createApiKey(ports, owner, 'by hand');
    const managed = await keepApiKey(ports, owner, 'ci', `sp_${'k'.repeat(43)}`, 'qa/ci');
    assert.deepEqual(await store.apiKeys.listManaged(owner), [managed]);
    assert.equal(managed.managedBy, 'qa/ci');
    await assert.rejects(revokeApiKey(ports, owner, managed.id), /managed by the Kubernetes resource qa\/ci/);
    await assert.rejects(revokeApiKey(ports, owner, mine.key.id, 'qa/ci'), /managed by the API/);
    await revokeApiKey(ports, owner, managed.id, 'qa/ci');
    assert.deepEqual((await store.apiKeys.list(owner, wholePage)).items, [mine.key]);
  },
);

onEachStore('many processes that start at once make the first user and key together', async ({ store }) => {
  const passwords = { hash: async () => 'hash', verify: async () => true };
  const ports = { ...store, passwords, clock: () => new Date() };
  const apiKey = `sp_${'b'.repeat(43)}`;
  const start = () => bootstrap(ports, { email: 'first@team.test', password: 'correct horse', apiKey });
  await Promise.all(Array.from({ length: 10 }, start));
  await start();
  const found = await store.users.findByEmail('first@team.test');
  assert.ok(found);
  const { items } = await store.apiKeys.list(found.user.id, wholePage);
  assert.deepEqual(
    items.map(({ name }) => name),
    ['bootstrap'],
  );
});
