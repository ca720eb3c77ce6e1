import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalRateWindow } from '#adapters/local/rate-window.ts';
import type { ApiKey } from '#core/access/access.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { TooMany, Unauthenticated } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { FailedSignIns, KnownPasswords } from '#gate/failed-sign-ins.ts';
import { signInSubmitter } from './submitter.ts';

const most = limits.access.failedSubmitters;
const value = `sp_${'k'.repeat(43)}`;
const address = 'qa@app.test';
const right = 'right password';
const key = { owner: 1, name: 'ci', scope: 'send', expiresAt: null, lastUsedAt: new Date(0) } as ApiKey;

/** Process with one account and one key, on a clock that the test moves. `turns` lists the turns of hashed passwords, in order. */
function world() {
  const clock = { ms: 0 };
  const now = () => clock.ms;
  const turns: string[] = [];
  const account = { id: 2, address, passwordHash: right, active: true };
  const ports = {
    deliveries: { lookUp: async () => ({ domain: { owner: 1 }, accounts: [account] }) } as never,
    apiKeys: {
      findByHash: async (hash: string) =>
        hash === hashSecret(value) ? { key, role: 'member' as const } : null,
      touch: async () => {},
    },
    accountPasswords: {
      hash: async (given: string) => given,
      async verify(given: string, hash: string | null, turn: string) {
        turns.push(turn);
        return given === hash;
      },
    },
    clock: () => new Date(0),
  };
  const attempts = createLocalRateWindow(now);
  const memory = {
    failures: new FailedSignIns({ attempts, metrics: { limitReached: () => {} } }, now),
    passwords: new KnownPasswords(now),
  };
  /** `in`, `wrong` or `wait`. */
  const enter = async (client: string, password: string, userName = address) => {
    try {
      await signInSubmitter(ports, memory, { userName, password }, client);
      return 'in';
    } catch (error) {
      if (error instanceof TooMany) return 'wait';
      if (error instanceof Unauthenticated) return 'wrong';
      throw error;
    }
  };
  return { clock, turns, enter };
}

test('a valid key is taken whatever failed before, and costs no hashing', async () => {
  const { turns, enter } = world();
  for (let index = 0; index <= most; index += 1) await enter('192.0.2.1', 'wrong', `u${index}@app.test`);
  const hashed = turns.length;
  assert.equal(await enter('192.0.2.1', value, 'apikey'), 'in');
  assert.equal(await enter('192.0.2.1', value), 'in');
  assert.equal(await enter('192.0.2.1', right), 'wait', 'a password is not');
  assert.equal(turns.length, hashed);
});

test('a right password is taken from a client that has not failed, however many guess', async () => {
  const { turns, enter } = world();
  for (let index = 0; index < most; index += 1)
    assert.equal(await enter(`192.0.2.${index}`, 'wrong'), 'wrong');
  assert.equal(await enter('192.0.2.100', 'wrong'), 'wait');
  assert.equal(await enter('192.0.2.100', right), 'wait', 'a client that guessed has to wait');
  assert.equal(await enter('192.0.2.3', right), 'wait');
  const before = turns.length;
  assert.equal(await enter('198.51.100.1', right), 'in');
  assert.equal(await enter('198.51.100.2', right), 'in', 'and is remembered for all clients');
  assert.equal(turns.length, before + 1);
});

test('guesses of many clients at one name share a turn, and the failures of each count', async () => {
  const { turns, enter } = world();
  const clients = Array.from({ length: 40 }, (_, index) => `203.0.113.${index}`);
  for (const client of clients) await enter(client, 'wrong');
  const late = new Set(turns.slice(most + 1));
  assert.equal(late.size, 1, [...late].join());
  assert.equal(turns.length, clients.length);
  for (const client of clients) assert.equal(await enter(client, 'wrong'), 'wait');
  assert.equal(turns.length, clients.length, 'one guess a minute each');
});

test('a client that failed has one turn for all names', async () => {
  const { turns, enter } = world();
  for (let index = 0; index < 5; index += 1) await enter('192.0.2.1', 'wrong', `u${index}@app.test`);
  assert.equal(new Set(turns.slice(1)).size, 1);
});
