import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalRateWindow } from '#adapters/local/rate-window.ts';
import { StoreUnavailable, TooMany, Unauthenticated } from '#core/errors.ts';
import type { UserStore } from './access.ts';
import { hashSecret } from './secrets.ts';
import { signIn } from './sign-in.ts';

const minuteMs = 60_000;
const password = 'correct horse';
const key = `sp_${'k'.repeat(43)}`;

/** Sign-ins of `known@app.test` on a separate clock. `fail` makes the store unreachable. */
function world() {
  const state = { now: 0, failing: false, reached: new Map<string, number>() };
  const user = { id: 1, email: 'known@app.test', createdAt: new Date(0) };
  const none = async () => null;
  const ports = {
    users: {
      async find(by) {
        if (state.failing) throw new StoreUnavailable();
        return 'email' in by && by.email === user.email
          ? { user, passwordHash: password, emailVerified: true, disabledAt: null }
          : null;
      },
    } as Partial<UserStore> as UserStore,
    rows: {} as never,
    passwords: {
      hash: async (given: string) => given,
      verify: async (given: string, hash: string | null) => given === hash,
    },
    apiKeys: {
      findByHash: async (hash: string) =>
        hash === hashSecret(key)
          ? { key: { expiresAt: null, lastUsedAt: new Date(0) }, role: 'member' }
          : null,
      touch: none,
    } as never,
    attempts: createLocalRateWindow(() => state.now),
    metrics: {
      limitReached: (name: string) => void state.reached.set(name, (state.reached.get(name) ?? 0) + 1),
    },
    clock: () => new Date(state.now),
  };
  /** `in`, `wrong` or `throttled`. */
  const enter = async (address: string, credentials: Parameters<typeof signIn>[1]) => {
    try {
      await signIn(ports, credentials, address);
      return 'in';
    } catch (error) {
      if (error instanceof TooMany) return 'throttled';
      if (error instanceof Unauthenticated) return 'wrong';
      throw error;
    }
  };
  const guess = (address: string, email = user.email) => enter(address, { email, password: 'wrong' });
  const right = (address: string) => enter(address, { email: user.email, password });
  return { state, enter, guess, right };
}

test('ten failures a minute of an address and e-mail; others and other addresses go on', async () => {
  const { state, guess, right } = world();
  for (let index = 0; index < 10; index += 1) assert.equal(await guess('192.0.2.1'), 'wrong');
  assert.equal(await right('192.0.2.1'), 'throttled');
  assert.equal(await right('::ffff:192.0.2.1'), 'throttled', 'a mapped address is the same');
  assert.equal(await right('192.0.2.2'), 'in');
  assert.equal(await guess('192.0.2.1', 'other@app.test'), 'wrong');
  assert.equal(state.reached.get('access.failuresPerAddressAndEmail'), 2);
  state.now += minuteMs;
  assert.equal(await right('192.0.2.1'), 'in');
});

test('an IPv6 address is counted with its /64', async () => {
  const { guess, right } = world();
  for (let index = 0; index < 10; index += 1) await guess(`2001:db8::${index.toString(16)}`);
  assert.equal(await right('2001:db8::ffff:1'), 'throttled');
  assert.equal(await right('2001:db8:0:1::1'), 'in');
});

test('a hundred failures a minute of an address over all e-mails', async () => {
  const { state, guess, right } = world();
  for (let index = 0; index < 100; index += 1) {
    assert.equal(await guess('192.0.2.1', `stranger${index}@app.test`), 'wrong');
  }
  assert.equal(await guess('192.0.2.1', 'stranger100@app.test'), 'throttled');
  assert.equal(await right('192.0.2.1'), 'throttled');
  assert.equal(await right('192.0.2.2'), 'in');
  assert.equal(state.reached.get('access.failuresPerAddress'), 2);
});

test('thirty failures an hour of an e-mail over all addresses', async () => {
  const { state, guess, right } = world();
  for (let index = 0; index < 30; index += 1) assert.equal(await guess(`192.0.2.${index}`), 'wrong');
  assert.equal(await right('192.0.2.200'), 'throttled');
  state.now += 59 * minuteMs;
  assert.equal(await right('192.0.2.201'), 'throttled');
  state.now += minuteMs;
  assert.equal(await right('192.0.2.202'), 'in');
});

test('guesses that are made side by side are all counted', async () => {
  const { guess } = world();
  const results = await Promise.all(Array.from({ length: 50 }, () => guess('192.0.2.1')));
  assert.equal(results.filter((result) => result === 'wrong').length, 10);
});

test('wrong API keys count too, a success or a check that failed does not', async () => {
  const { state, enter, right } = world();
  for (let index = 0; index < 10; index += 1) {
    assert.equal(await enter('192.0.2.1', { apiKey: 'nonsense' }), 'wrong');
  }
  assert.equal(await enter('192.0.2.1', { apiKey: 'nonsense' }), 'throttled');
  for (let index = 0; index < 40; index += 1) assert.equal(await right('192.0.2.1'), 'in');
  state.failing = true;
  for (let index = 0; index < 40; index += 1) await assert.rejects(right('192.0.2.1'), StoreUnavailable);
  state.failing = false;
  assert.equal(await right('192.0.2.1'), 'in');
});

test('a valid key is taken whatever its address failed at', async () => {
  const { enter, guess, right } = world();
  for (let index = 0; index < 100; index += 1) await guess('192.0.2.1', `stranger${index}@app.test`);
  assert.equal(await right('192.0.2.1'), 'throttled');
  assert.equal(await enter('192.0.2.1', { apiKey: key }), 'in');
  assert.equal(await enter('192.0.2.1', { apiKey: `${key.slice(0, -1)}x` }), 'throttled');
});
