import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowStore } from '#core/change.ts';
import { Duplicate } from '#core/errors.ts';
import type { ApiKey, ApiKeyStore, Passwords, UserStore } from './access.ts';
import { createApiKey, identifyByKey, keepApiKey, offerApiKey } from './api-keys.ts';
import { bootstrap } from './bootstrap.ts';
import { hashSecret, newSecret } from './secrets.ts';

const value = `sp_${'k'.repeat(43)}`;
const user = { id: 7, email: 'qa@team.test', createdAt: new Date(0) };
const key: ApiKey = {
  id: 9,
  owner: 7,
  name: 'a',
  prefix: 'sp_k',
  scope: 'full',
  accountIds: null,
  expiresAt: null,
  createdBy: user,
  managedBy: null,
  createdAt: new Date(0),
  lastUsedAt: null,
};

type ChangeArgs = { email?: string; passwordHash?: string; team?: number; stored?: Record<string, unknown> };

/** Store whose changes are answered by a function of their names and arguments. */
function rowsOf(answer: (name: string, args: ChangeArgs) => unknown): RowStore {
  const change = async ({ name }: { name: string }, args: ChangeArgs) => answer(name, args);
  return { change } as unknown as RowStore;
}

/** Store with one key, and a log of calls to it. */
function world(lastUsedAt: Date | null = null, nowMs = 0, words: Partial<ApiKey> = {}) {
  const asked: string[] = [];
  const apiKeys: Partial<ApiKeyStore> = {
    async findByHash(hash) {
      asked.push(hash);
      return hash === hashSecret(value) ? { key: { ...key, ...words, lastUsedAt }, role: 'owner' } : null;
    },
    async touch(id, now) {
      asked.push(`touch ${id} ${now.getTime()}`);
    },
  };
  const rows = rowsOf((name, args) => {
    if (name === 'addUser') asked.push(`user ${args.email} ${args.passwordHash}`);
    const { prefix, hash, name: label } = args.stored ?? {};
    if (name === 'addKey') asked.push(`insert ${args.team} ${label} ${prefix} ${hash === hashSecret(value)}`);
    return key;
  });
  return { asked, ports: { rows, apiKeys: apiKeys as ApiKeyStore, clock: () => new Date(nowMs) } };
}

test('a value that does not look like a key is not searched for', async () => {
  for (const other of [
    '',
    `x${value}`,
    `${value}x`,
    value.slice(1),
    value.slice(0, -1),
    `${value.slice(0, -1)}!`,
  ]) {
    const { asked, ports } = world();
    assert.equal(await identifyByKey(ports, other), null, other);
    assert.deepEqual(asked, []);
  }
  assert.equal(await identifyByKey(world().ports, `sp_${'x'.repeat(43)}`), null);
});

test('the use of a key is noted once a minute', async () => {
  const notedAfter = async (lastMs: number | null, nowMs: number) => {
    const lastUsedAt = lastMs === null ? null : new Date(lastMs);
    const { asked, ports } = world(lastUsedAt, nowMs);
    assert.deepEqual(await identifyByKey(ports, value), { role: 'owner', key: { ...key, lastUsedAt } });
    return asked.slice(1);
  };
  assert.deepEqual(await notedAfter(null, 5), ['touch 9 5']);
  assert.deepEqual(await notedAfter(1000, 60_999), []);
  assert.deepEqual(await notedAfter(1000, 61_000), ['touch 9 61000']);
});

test('a key is refused from its expiry on', async () => {
  const words = { expiresAt: new Date(1000) };
  assert.notEqual(await identifyByKey(world(null, 999, words).ports, value), null);
  assert.equal(await identifyByKey(world(null, 1000, words).ports, value), null);
  const late = { name: 'a', createdBy: user, expiresAt: new Date(1000) };
  await assert.rejects(createApiKey(world(null, 1000).ports, 7, late), { message: /must be in the future/ });
});

test('a key makes no key that outlives it', async () => {
  const { ports } = world();
  const make = (expiresAt: Date | null) =>
    createApiKey(ports, 7, { name: 'a', createdBy: user, expiresAt }, new Date(1000));
  await make(new Date(1000));
  for (const expiresAt of [null, new Date(1001)]) {
    await assert.rejects(make(expiresAt), { message: /must be no later than 1970-01-01T00:00:01.000Z/ });
  }
});

test('a key is kept as its hash and its beginning', async () => {
  const { asked, ports } = world();
  await offerApiKey(ports, 7, { name: 'a', createdBy: user }, value);
  assert.deepEqual(asked, [`insert 7 a ${value.slice(0, 11)} true`]);
});

test('a new key is shown once, and a given one is refused where it is taken', async () => {
  const { ports } = world();
  const made = await createApiKey(ports, 7, { name: 'a', createdBy: user });
  assert.match(made.value, /^sp_[A-Za-z0-9_-]{43}$/);
  assert.equal(made.key, key);
  const taken = {
    ...ports,
    rows: rowsOf(() => {
      throw new Duplicate();
    }),
  };
  await assert.rejects(keepApiKey(taken, 7, { name: 'a', createdBy: user }, value), {
    message: 'key: is already in use',
  });
});

test('secrets are 43 characters, each its own', () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(secrets).size, secrets.length);
});

test('the first user is made where it is missing, and its key offered if there is one', async () => {
  const begin = async (existing: boolean, apiKey: string | null) => {
    const { asked, ports } = world();
    const users: Partial<UserStore> = {
      find: async () =>
        existing || asked.length > 0
          ? { user, passwordHash: null, emailVerified: true, disabledAt: null }
          : null,
    };
    const passwords: Partial<Passwords> = { hash: async (password) => `hash of ${password}` };
    await bootstrap(
      { ...ports, users: users as UserStore, passwords: passwords as Passwords },
      { email: user.email, password: 'secret', apiKey },
    );
    return asked;
  };
  const inserted = `insert 7 bootstrap ${value.slice(0, 11)} true`;
  assert.deepEqual(await begin(false, null), ['user qa@team.test hash of secret']);
  assert.deepEqual(await begin(false, value), ['user qa@team.test hash of secret', inserted]);
  assert.deepEqual(await begin(true, value), [inserted]);
  assert.deepEqual(await begin(true, null), []);
});
