import assert from 'node:assert/strict';
import { createApiKey, keepApiKey } from '#core/access/api-keys.ts';
import { bootstrap } from '#core/access/bootstrap.ts';
import { changeKey } from '#core/access/key-changes.ts';
import { hashSecret } from '#core/access/secrets.ts';
import type { TestSession as NewSession, PeopledStore as Store } from '#test/support/stores/people.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

onEachStore('users are found by id and by e-mail, which is unique', async ({ store }) => {
  const createdAt = new Date('2026-11-21T10:00:00.123Z');
  const user = await store.users.insert('a@team.test', 'hash', createdAt);
  assert.ok(user);
  assert.deepEqual(user, { id: user.id, email: 'a@team.test', createdAt });
  assert.equal(await store.users.insert('a@team.test', null, createdAt), null);
  assert.deepEqual(await store.users.findById(user.id), user);
  const fresh = { emailVerified: false, disabledAt: null };
  assert.deepEqual(await store.users.find({ email: 'a@team.test' }), {
    user,
    passwordHash: 'hash',
    ...fresh,
  });
  await store.users.setPassword(user.id, 'other');
  assert.deepEqual(await store.users.find({ email: 'a@team.test' }), {
    user,
    passwordHash: 'other',
    ...fresh,
  });
  assert.equal(await store.users.findById(4711), null);
  assert.equal(await store.users.find({ email: 'nobody@team.test' }), null);
});

onEachStore('one of many users that want the same e-mail gets it', async ({ store }) => {
  const attempts = Array.from({ length: 10 }, () => store.users.insert('a@team.test', null, new Date()));
  assert.equal((await Promise.all(attempts)).filter((user) => user !== null).length, 1);
});

const password = 'a hash';
const most = 100;

/** Input for a session of `userId`, who proves the password `a hash`. `words` replace fields. */
function sessionInput(userId: number, hash: string, expiresAt: Date, words: Partial<NewSession> = {}) {
  const origin = { passwordHash: password };
  return { hash, userId, origin, createdAt: new Date(0), expiresAt, ...words };
}

onEachStore('a session is valid until it ends, is extended, or is removed', async ({ store, owner }) => {
  await store.users.setPassword(owner, password);
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, seconds));
  const createdAt = at(0);
  const other = sessionInput(owner, 'h0', at(30), { createdAt });
  assert.equal(await store.sessions.insert(other, most), 0);
  assert.equal(await store.sessions.insert(sessionInput(owner, 'h1', at(10), { createdAt }), most), 0);
  const user = await store.users.findById(owner);
  assert.ok(user);
  assert.deepEqual(await store.sessions.find('h1', at(9)), {
    holder: { user },
    createdAt,
    expiresAt: at(10),
  });
  assert.equal(await store.sessions.find('h1', at(10)), null);
  await store.sessions.extend('h1', at(20));
  assert.deepEqual(await store.sessions.find('h1', at(10)), {
    holder: { user },
    createdAt,
    expiresAt: at(20),
  });
  assert.equal(await store.sessions.find('h2', at(0)), null);
  await store.sessions.remove('h1');
  await store.sessions.remove('h1');
  assert.equal(await store.sessions.find('h1', at(0)), null);
  assert.deepEqual(await store.sessions.find('h0', at(0)), {
    holder: { user },
    createdAt,
    expiresAt: at(30),
  });
});

onEachStore('a new session ends those of its user that end first, and nobody else’s', async (scene) => {
  const { store, owner } = scene;
  const other = await newUser(store, 'other@team.test');
  for (const user of [owner, other]) await store.users.setPassword(user, password);
  const later = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, seconds));
  for (const [hash, user, seconds] of [
    ['a', owner, 10],
    ['b', owner, 30],
    ['c', owner, 20],
    ['d', other, 5],
  ] as const)
    assert.equal(await store.sessions.insert(sessionInput(user, hash, later(seconds)), most), 0);
  assert.equal(await store.sessions.insert(sessionInput(owner, 'e', later(40)), 2), 2);
  const valid = [];
  for (const hash of ['a', 'b', 'c', 'd', 'e'])
    if ((await store.sessions.find(hash, later(0))) !== null) valid.push(hash);
  assert.deepEqual(valid, ['b', 'd', 'e']);
});

onEachStore('all other sessions of a user can be ended, and expired ones end', async ({ store, owner }) => {
  const other = await newUser(store, 'other@team.test');
  for (const user of [owner, other]) await store.users.setPassword(user, password);
  const sessions = [
    ['a', owner, 10],
    ['b', owner, 20],
    ['c', owner, 30],
    ['d', other, 10],
  ] as const;
  for (const [hash, user, until] of sessions) {
    await store.sessions.insert(sessionInput(user, hash, new Date(until)), most);
  }
  const valid = () => validSessions(store, ['a', 'b', 'c', 'd']);
  await store.users.setPassword(owner, password, 'b');
  assert.deepEqual(await valid(), ['b', 'd']);
  await store.upkeep({ do: 'remove-expired-secrets', now: new Date(10) }, 10);
  assert.deepEqual(await valid(), ['b']);
  await store.users.setPassword(owner, password);
  assert.deepEqual(await valid(), []);
});

onEachStore('a session ends with the key that it was made with', async ({ store, owner }) => {
  await store.users.setPassword(owner, password);
  const key = (hash: string) =>
    store.apiKeys.insert(owner, { name: hash, prefix: 'sp_', hash, createdAt: new Date(0) });
  const [first, second] = [await key('first'), await key('second')];
  assert.ok(first && second);
  const begin = (hash: string, origin: NewSession['origin']) =>
    store.sessions.insert(sessionInput(owner, hash, new Date(10), { origin }), most);
  assert.equal(await begin('by first', { keyId: first.id }), 0);
  assert.equal(await begin('by second', { keyId: second.id }), 0);
  assert.equal(await begin('by password', { passwordHash: password }), 0);
  assert.equal(await store.apiKeys.remove(owner, first.id), true);
  const names = ['by first', 'by second', 'by password', 'late', 'outdated', 'foreign'];
  assert.deepEqual(await validSessions(store, names), ['by second', 'by password']);
  assert.equal(await begin('late', { keyId: first.id }), null, 'the key is gone');
  assert.equal(await begin('outdated', { passwordHash: 'an older hash' }), null);
  const stranger = await newUser(store, 'stranger@team.test');
  const foreign = sessionInput(stranger, 'foreign', new Date(10), { origin: { keyId: second.id } });
  assert.equal(await store.sessions.insert(foreign, most), null, 'the key of another');
  assert.deepEqual(await validSessions(store, names), ['by second', 'by password']);
});

onEachStore(
  'a session that begins while its key is revoked does not outlive it',
  async ({ store, owner }) => {
    for (let round = 0; round < 5; round += 1) {
      const hash = `key ${round}`;
      const key = await store.apiKeys.insert(owner, {
        name: hash,
        prefix: 'sp_',
        hash,
        createdAt: new Date(0),
      });
      assert.ok(key);
      const names = Array.from({ length: 6 }, (_, index) => `${round} ${index}`);
      const begin = (name: string) =>
        store.sessions.insert(sessionInput(owner, name, new Date(10), { origin: { keyId: key.id } }), most);
      const begun = names.slice(0, 3).map(begin);
      const removed = store.apiKeys.remove(owner, key.id);
      await Promise.all([...begun, removed, ...names.slice(3).map(begin)]);
      assert.deepEqual(await validSessions(store, names), []);
    }
  },
);

onEachStore('the session that would end first ends if there are too many', async ({ store, owner }) => {
  await store.users.setPassword(owner, password);
  for (const [hash, until, ended] of [
    ['a', 30, 0],
    ['b', 10, 0],
    ['c', 20, 0],
    ['d', 5, 1],
  ] as const) {
    assert.equal(await store.sessions.insert(sessionInput(owner, hash, new Date(until)), 3), ended);
  }
  assert.deepEqual(await validSessions(store, ['a', 'b', 'c', 'd']), ['a', 'c', 'd']);
});

async function validSessions(store: Store, hashes: string[]): Promise<string[]> {
  const found = [];
  for (const hash of hashes) if (await store.sessions.find(hash, new Date(0))) found.push(hash);
  return found;
}

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
    const words = { managedBy: null, scope: 'full', accountIds: null, expiresAt: null, createdBy: null };
    assert.deepEqual(first, { id, owner, name: 'a', prefix: 'sp_a', ...words, createdAt, lastUsedAt: null });
    assert.deepEqual(await store.apiKeys.find(owner, id), first);
    assert.equal(await store.apiKeys.find(stranger, id), null);
    assert.equal(await insert(stranger, 'a'), null, 'a hash is taken once');
    const list = (team: number, page = wholePage) => store.rows.list('apiKeys', { team }, page);
    assert.deepEqual(await list(owner), { items: [second, first], total: 2 });
    assert.deepEqual(await list(owner, { page: 2, limit: 1 }), { items: [first], total: 2 });
    assert.deepEqual(await list(stranger), { items: [], total: 0 });
    const usedAt = new Date('2026-11-21T11:00:00Z');
    await store.apiKeys.touch(first.id, usedAt);
    const used = { ...first, lastUsedAt: usedAt };
    assert.deepEqual(await store.apiKeys.findByHash('hash of a'), { key: used, role: 'member' });
    assert.equal(await store.apiKeys.findByHash('hash of c'), null);
    assert.equal(await store.apiKeys.remove(stranger, first.id), false);
    assert.equal(await store.apiKeys.remove(owner, first.id), true);
    assert.equal(await store.apiKeys.remove(owner, first.id), false);
    assert.equal(await store.apiKeys.findByHash('hash of a'), null);
  },
);

onEachStore(
  'a key that a Kubernetes resource manages is revoked by that resource only',
  async ({ store, owner }) => {
    const ports = { rows: store.rows, clock: () => new Date() };
    const revoke = (key: number, manager: string | null = null) => store.apiKeys.remove(owner, key, manager);
    const mine = await createApiKey(ports, owner, { name: 'by hand', createdBy: null });
    const managed = await keepApiKey(
      ports,
      owner,
      { name: 'ci', createdBy: null, managedBy: 'qa/ci' },
      `sp_${'k'.repeat(43)}`,
    );
    assert.deepEqual(await store.rows.read('managedKeys', { team: owner }), [managed]);
    assert.deepEqual(await store.rows.read('managedKeys', { team: owner, manager: 'qa/ci' }), [managed]);
    assert.deepEqual(await store.rows.read('managedKeys', { team: owner, manager: 'qa/other' }), []);
    assert.equal(managed.managedBy, 'qa/ci');
    await assert.rejects(revoke(managed.id), /managed by the Kubernetes resource qa\/ci/);
    await assert.rejects(revoke(mine.key.id, 'qa/ci'), /managed by the API/);
    await revoke(managed.id, 'qa/ci');
    assert.deepEqual((await store.rows.list('apiKeys', { team: owner }, wholePage)).items, [mine.key]);
  },
);

onEachStore(
  'a key of a resource changes its scope and its end in place, and no read in between misses it',
  async ({ store, owner }) => {
    const value = `sp_${'c'.repeat(43)}`;
    const hash = hashSecret(value);
    const made = { name: 'ci', createdBy: null, managedBy: 'qa/ci' };
    const { id } = await keepApiKey({ rows: store.rows, clock: () => new Date() }, owner, made, value);
    // A recorded use lets the read cache keep the key.
    await store.apiKeys.touch(id, new Date());
    const seen = async () => {
      const key = (await store.apiKeys.findByHash(hash))?.key;
      return key && [key.id, key.scope, key.expiresAt];
    };
    assert.deepEqual(await seen(), [id, 'full', null]);
    const ends = [new Date('2027-06-30T00:00:00Z'), new Date('2028-01-01T00:00:00Z'), null];
    for (const expiresAt of ends) {
      const set = { scope: 'read', expiresAt } as const;
      const change = store.rows.change(changeKey, { team: owner, key: id, manager: 'qa/ci', set });
      const during = await Promise.all(Array.from({ length: 20 }, seen));
      assert.deepEqual(
        during.map((key) => key?.[0]),
        Array(20).fill(id),
      );
      await change;
      assert.deepEqual(await seen(), [id, 'read', expiresAt]);
    }
    const set = { scope: 'send' } as const;
    await store.rows.change(changeKey, { team: owner, key: id, manager: 'qa/ci', set });
    assert.deepEqual(await seen(), [id, 'send', null]);
  },
);

onEachStore('many processes that start at once make the first user and key together', async ({ store }) => {
  const passwords = { hash: async () => 'hash', verify: async () => true };
  const ports = { ...store, passwords, clock: () => new Date() };
  const apiKey = `sp_${'b'.repeat(43)}`;
  const start = () => bootstrap(ports, { email: 'first@team.test', password: 'correct horse', apiKey });
  await Promise.all(Array.from({ length: 10 }, start));
  await start();
  const found = await store.users.find({ email: 'first@team.test' });
  assert.ok(found);
  const { items } = await store.rows.list('apiKeys', { team: found.user.id }, wholePage);
  const names = items.map(({ name }) => name);
  assert.deepEqual(names, ['bootstrap']);
});

onEachStore('sessions of a key end none of its creator’s others', async ({ store, owner }) => {
  await store.users.setPassword(owner, password);
  const key = await store.apiKeys.insert(owner, {
    name: 'k',
    prefix: 'sp_',
    hash: 'k',
    createdBy: await store.users.findById(owner),
    createdAt: new Date(0),
  });
  assert.ok(key);
  const origin = { keyId: key.id };
  await store.sessions.insert(sessionInput(owner, 'by password', new Date(10)), 1);
  assert.equal(await store.sessions.insert(sessionInput(owner, 'first', new Date(20), { origin }), 1), 0);
  assert.equal(await store.sessions.insert(sessionInput(owner, 'second', new Date(30), { origin }), 1), 1);
  assert.deepEqual(await validSessions(store, ['by password', 'first', 'second']), ['by password', 'second']);
});
