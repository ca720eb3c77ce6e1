import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MxAnswer } from '#core/domains/verdict.ts';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { createResolver } from './dns.ts';

test('reads an MX answer as definite or unknown', async () => {
  await using server = await startDnsServer({
    'two.test': {
      MX: [
        [20, 'B.Mx.Test.'],
        [10, 'a.mx.test'],
      ],
    },
    'null.test': { MX: [[0, '.']] },
    'mixed.test': {
      MX: [
        [0, '.'],
        [10, 'a.mx.test'],
      ],
    },
    'none.test': { A: ['192.0.2.1'] },
    'alias.test': { CNAME: 'two.test' },
    'to-alias.test': { MX: [[10, 'alias.test']] },
  });
  server.misbehaviour
    .set('servfail.test', 'SERVFAIL')
    .set('refused.test', 'REFUSED')
    .set('slow.test', 'silent');
  const resolver = createResolver({ servers: [server.address], timeoutMs: 10_000 });
  const hurried = createResolver({ servers: [server.address], timeoutMs: 100 });
  const hosts = (...exchanges: string[]) =>
    exchanges.map((exchange, i) => ({ priority: i * 10 + 10, exchange }));
  const cases: [string, MxAnswer][] = [
    ['two.test', { kind: 'hosts', hosts: hosts('a.mx.test', 'b.mx.test') }],
    ['TWO.test.', { kind: 'hosts', hosts: hosts('a.mx.test', 'b.mx.test') }],
    ['alias.test', { kind: 'hosts', hosts: hosts('a.mx.test', 'b.mx.test') }],
    ['to-alias.test', { kind: 'hosts', hosts: hosts('alias.test') }],
    ['mixed.test', { kind: 'hosts', hosts: hosts('a.mx.test') }],
    ['null.test', { kind: 'none', detail: 'null.test does not accept mail (null MX)' }],
    ['none.test', { kind: 'none', detail: 'none.test has no MX record' }],
    ['gone.example', { kind: 'none', detail: 'gone.example does not exist' }],
    ['not..a.name', { kind: 'none', detail: 'not..a.name is not a valid DNS name' }],
    ['servfail.test', { kind: 'unknown', detail: 'the DNS server answered SERVFAIL' }],
    ['refused.test', { kind: 'unknown', detail: 'the DNS server refused to answer' }],
  ];
  for (const [domain, expected] of cases)
    assert.deepEqual(await resolver.resolveMx(domain), expected, domain);
  const late = { kind: 'unknown', detail: 'no DNS server answered in time' };
  assert.deepEqual(await hurried.resolveMx('slow.test'), late);
});

test('bypasses the cache for an MX check', async () => {
  await using server = await startDnsServer();
  const resolver = createResolver({ servers: [server.address], timeoutMs: 10_000 });
  assert.equal((await resolver.resolveMx('new.test')).kind, 'none');
  server.zones['new.test'] = { MX: [[10, 'mx.test']] };
  assert.equal((await resolver.resolveMx('new.test')).kind, 'hosts');
});

test('waits once for a server that is down, then backs off for some seconds', async () => {
  let now = 0;
  await using server = await startDnsServer({
    'a.test': { A: ['192.0.2.1'] },
    'b.test': { A: ['192.0.2.2'] },
  });
  server.misbehaviour.set('*', 'silent');
  const resolver = createResolver({ servers: [server.address], timeoutMs: 2000, now: () => now });
  await assert.rejects(resolver.resolve('a.test', 'A'), { code: 'ETIMEOUT' });
  const heard = server.questions.length;
  for (let i = 0; i < 20; i++) await assert.rejects(resolver.resolve(`${i}.test`, 'A'), { code: 'ETIMEOUT' });
  assert.equal(server.questions.length, heard, 'twenty questions send nothing');

  server.misbehaviour.clear();
  now = 6000;
  const [first, second] = await Promise.allSettled([
    resolver.resolve('a.test', 'A'),
    resolver.resolve('b.test', 'A'),
  ]);
  assert.deepEqual(
    [first.status, second.status],
    ['fulfilled', 'rejected'],
    'one question probes the server',
  );
  assert.deepEqual(await resolver.resolve('b.test', 'A'), ['192.0.2.2']);
});

test('fails at once where nobody listens on the port', async () => {
  const server = await startDnsServer();
  await server.close();
  const resolver = createResolver({ servers: [server.address], timeoutMs: 5000 });
  const start = performance.now();
  await assert.rejects(resolver.resolve('a.test', 'A'), { code: 'ETIMEOUT' });
  assert.ok(performance.now() - start < 4500, 'it did not wait for the time-out');
});

test('caches a failure of one name for some seconds, and keeps using the server', async () => {
  let now = 0;
  await using server = await startDnsServer({ 'a.test': { A: ['192.0.2.1'] } });
  server.misbehaviour.set('hole.test', 'silent');
  const resolver = createResolver({ servers: [server.address], timeoutMs: 2000, now: () => now });
  await assert.rejects(resolver.resolve('hole.test', 'A'), { code: 'ETIMEOUT' });
  assert.deepEqual(
    await resolver.resolve('a.test', 'A'),
    ['192.0.2.1'],
    'the server answers for other names',
  );
  const heard = server.questions.length;
  await assert.rejects(resolver.resolve('hole.test', 'A'), { code: 'ETIMEOUT' });
  assert.equal(server.questions.length, heard);
  now = 6000;
  server.misbehaviour.clear();
  await assert.rejects(resolver.resolve('hole.test', 'A'), { code: 'ENOTFOUND' });
});

test('stops waiting after the time that the caller gives', async () => {
  await using server = await startDnsServer();
  server.misbehaviour.set('*', 'silent');
  const resolver = createResolver({ servers: [server.address], timeoutMs: 5000 });
  const start = performance.now();
  await assert.rejects(resolver.resolve('a.test', 'A', 20), { code: 'ETIMEOUT' });
  assert.ok(performance.now() - start < 4500, 'it waited for the time-out');
});
