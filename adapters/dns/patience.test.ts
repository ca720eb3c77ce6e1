import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { createResolver } from './dns.ts';
import { createUpstream } from './upstream.ts';

const zones = () => ({ 'a.test': { A: ['192.0.2.1'] }, 'slow.test': { A: ['192.0.2.2'] } });
const slow = { name: 'slow.test', type: 'A' } as const;

/** Waits for queries to a server without using timers, which are mocked. */
async function asked(questions: string[], times: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (questions.length < times && Date.now() < deadline) await turn();
  assert.equal(questions.length, times);
}

test('sends a question again after 200 ms and 1 s, and no fourth time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using server = await startDnsServer(zones());
  server.misbehaviour.set('slow.test', 'silent');
  const upstream = createUpstream(server.address, () => 0);
  const answer = upstream.ask(slow, 4000);
  await asked(server.questions, 1);
  t.mock.timers.tick(200);
  await asked(server.questions, 2);
  t.mock.timers.tick(800);
  await asked(server.questions, 3);
  await upstream.ask({ name: 'a.test', type: 'A' }, 4000);
  t.mock.timers.tick(2999);
  await upstream.ask({ name: 'a.test', type: 'AAAA' }, 4000);
  assert.deepEqual(server.questions.slice(3), ['A a.test', 'AAAA a.test']);
  t.mock.timers.tick(1);
  assert.deepEqual(await answer, { reply: null, alive: true });
});

test('takes the answer to the first question after the second was sent', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using server = await startDnsServer(zones());
  server.misbehaviour.set('slow.test', 'late');
  const answer = createUpstream(server.address, () => 0).ask(slow, 4000);
  await asked(server.questions, 1);
  t.mock.timers.tick(200);
  server.sendLate[0]?.();
  assert.equal((await answer).reply?.kind, 'found');
});

test('waits 4 s for the last server that answers other questions', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using server = await startDnsServer(zones());
  server.misbehaviour.set('slow.test', 'late').set('', 'silent');
  const resolver = createResolver({ servers: [server.address], timeoutMs: 5000, now: () => 0 });
  const answer = resolver.resolve('slow.test', 'A');
  await asked(server.questions, 1);
  await resolver.resolve('a.test', 'A');
  t.mock.timers.tick(3999);
  server.sendLate[0]?.();
  assert.deepEqual(await answer, ['192.0.2.2']);
});

test('asks the second server after 2 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using first = await startDnsServer(zones());
  await using second = await startDnsServer(zones());
  first.misbehaviour.set('slow.test', 'silent');
  const servers = [first.address, second.address];
  const resolver = createResolver({ servers, timeoutMs: 5000, now: () => 0 });
  const answer = resolver.resolve('slow.test', 'A');
  await asked(first.questions, 1);
  await resolver.resolve('a.test', 'A');
  t.mock.timers.tick(2000);
  assert.deepEqual(await answer, ['192.0.2.2']);
});

test('gives up a server that has sent nothing for 2 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using server = await startDnsServer();
  server.misbehaviour.set('*', 'silent');
  const upstream = createUpstream(server.address, () => 0);
  const answer = upstream.ask(slow, 4000);
  await asked(server.questions, 1);
  t.mock.timers.tick(2000);
  assert.deepEqual(await answer, { reply: null, alive: false });
  assert.equal(upstream.isUp(), false);
});
