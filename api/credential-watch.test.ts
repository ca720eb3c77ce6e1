import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CredentialWatch } from './credential-watch.ts';

const refuse = async () => {
  throw new Error('refused');
};

test('a credential is checked after the call, once for calls of one moment', async (t) => {
  let looks = 0;
  const valid = { now: true };
  const watch = new CredentialWatch(async () => {
    looks += 1;
    return valid.now;
  }, refuse);
  t.after(() => watch.close());
  const first = [
    watch.confirm({ credential: { key: 'a' }, team: 1 }),
    watch.confirm({ credential: { key: 'a' }, team: 1 }),
  ];
  valid.now = false;
  assert.deepEqual(await Promise.all(first), [false, false]);
  assert.equal(looks, 1);
  assert.equal(await watch.confirm({ credential: { key: 'a' }, team: 1 }), false);
  assert.equal(await watch.confirm({ credential: { session: 'a' }, team: 1 }), false);
  assert.equal(looks, 3, 'a key and a session are told apart');
  await assert.rejects(watch.requireValid({ credential: { key: 'a' }, team: 1 }), /refused/);
  valid.now = true;
  await watch.requireValid({ credential: { key: 'a' }, team: 1 });
});

test('a follower of a credential is notified of its end, unless it has stopped', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const ended = new Set(['gone']);
  const watch = new CredentialWatch(async ({ credential }) => {
    if ('key' in credential && credential.key === 'away') throw new Error('the store is away');
    return !('key' in credential && ended.has(credential.key));
  }, refuse);
  const heard: string[] = [];
  const follow = (key: string, name = key) =>
    watch.follow({ credential: { key }, team: 1 }, () => heard.push(name));
  const stop = follow('gone', 'stopped');
  for (const key of ['gone', 'away', 'good']) follow(key);
  stop();
  t.mock.timers.tick(2000);
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  assert.deepEqual(heard, ['gone']);
  watch.close();
});
