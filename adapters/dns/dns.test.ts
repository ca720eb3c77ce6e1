import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { createDnsCache, createResolver } from './dns.ts';
import type { DnsType } from './upstream.ts';

const long = Array.from({ length: 12 }, (_, i) => `${i}`.repeat(255).slice(0, 255));
const server = await startDnsServer({
  'a.test': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'], TXT: [['v=spf1 ', '-all'], 'two'] },
  'mx.test': {
    MX: [
      [20, 'B.mx.Test'],
      [10, 'a.mx.test'],
    ],
  },
  'null.test': { MX: [[0, '.']] },
  'alias.test': { CNAME: 'mx.test' },
  'long.test': { TXT: [long] },
  'capitals.test': { CNAME: 'B.mx.Test' },
  '1.2.0.192.in-addr.arpa': { PTR: ['Host.Test'] },
});
after(() => server.close());

const fresh = (servers = [server.address]) => createResolver({ servers, timeoutMs: 2000 });
const queries = (question: string) => server.questions.filter((one) => one === question).length;

const answers: [string, DnsType, unknown][] = [
  ['a.test', 'A', ['192.0.2.1', '192.0.2.2']],
  ['A.Test.', 'AAAA', ['2001:db8::1']],
  ['a.test', 'TXT', [['v=spf1 ', '-all'], ['two']]],
  [
    'mx.test',
    'MX',
    [
      { priority: 20, exchange: 'b.mx.test' },
      { priority: 10, exchange: 'a.mx.test' },
    ],
  ],
  [
    'alias.test',
    'MX',
    [
      { priority: 20, exchange: 'b.mx.test' },
      { priority: 10, exchange: 'a.mx.test' },
    ],
  ],
  ['alias.test', 'CNAME', ['mx.test']],
  ['capitals.test', 'CNAME', ['b.mx.test']],
  ['1.2.0.192.in-addr.arpa', 'PTR', ['host.test']],
  ['long.test', 'TXT', [long]],
];
for (const [name, type, expected] of answers) {
  test(`${type} of ${name}`, async () => assert.deepEqual(await fresh().resolve(name, type), expected));
}

test('fetches a truncated answer by TCP', async () => {
  server.misbehaviour.set('a.test', 'truncate');
  assert.deepEqual(await fresh().resolve('a.test', 'A'), ['192.0.2.1', '192.0.2.2']);
  server.misbehaviour.clear();
});

const errors: [string, DnsType, string][] = [
  ['nowhere.example', 'A', 'ENOTFOUND'],
  ['a.test', 'MX', 'ENODATA'],
  ['test', 'A', 'ENODATA'],
  ['servfail.test', 'TXT', 'ESERVFAIL'],
  ['refused.test', 'TXT', 'EREFUSED'],
  ['a..test', 'A', 'EBADNAME'],
  ['', 'A', 'EBADNAME'],
  [`${'x'.repeat(64)}.test`, 'A', 'EBADNAME'],
  ['grüße.test', 'A', 'EBADNAME'],
];
server.misbehaviour.set('servfail.test', 'SERVFAIL').set('refused.test', 'REFUSED');
for (const [name, type, code] of errors) {
  test(`${type} of "${name.slice(0, 20)}" is ${code}`, async () => {
    server.misbehaviour.set('servfail.test', 'SERVFAIL').set('refused.test', 'REFUSED');
    await assert.rejects(fresh().resolve(name, type), { code });
  });
}

test('caches answers for their TTL, and negative ones for that of the SOA', async () => {
  let now = 0;
  const resolver = createResolver({ servers: [server.address], timeoutMs: 2000, now: () => now });
  server.zones['ttl.test'] = { A: ['192.0.2.9'], ttl: 100 };
  server.negativeTtl = 50;
  const both = () =>
    Promise.all([resolver.resolve('ttl.test', 'A'), resolver.resolve('gone.test', 'A').catch(() => null)]);
  for (now of [0, 0, 49_000]) await both();
  assert.deepEqual([queries('A ttl.test'), queries('A gone.test')], [1, 1]);
  now = 99_000;
  await both();
  assert.deepEqual([queries('A ttl.test'), queries('A gone.test')], [1, 2]);
  now = 101_000;
  server.zones['ttl.test'] = { A: ['192.0.2.10'] };
  assert.deepEqual((await both())[0], ['192.0.2.10']);
});

test('caches a negative answer without SOA, and a circle of aliases, for some seconds', async () => {
  let now = 0;
  await using zone = await startDnsServer({ 'x.test': { CNAME: 'y.test' }, 'y.test': { CNAME: 'x.test' } });
  zone.negativeTtl = null;
  const resolver = createResolver({ servers: [zone.address], timeoutMs: 2000, now: () => now });
  for (now of [0, 0, 4999, 5000]) {
    await assert.rejects(resolver.resolve('no-soa.test', 'A'), { code: 'ENOTFOUND' });
    await assert.rejects(resolver.resolve('x.test', 'A'), { code: 'ENODATA' });
  }
  assert.deepEqual(zone.questions, ['A no-soa.test', 'A x.test', 'A no-soa.test', 'A x.test']);
});

test('queries once for equal questions at the same time', async () => {
  const resolver = fresh();
  const before = queries('AAAA a.test');
  const results = await Promise.all(Array.from({ length: 20 }, () => resolver.resolve('a.test', 'AAAA')));
  results[0]?.push('mine');
  assert.deepEqual(results[1], ['2001:db8::1'], 'each caller has an answer of its own');
  assert.equal(queries('AAAA a.test') - before, 1);
});

test('queries the second server where the first fails or is down', async () => {
  await using bad = await startDnsServer();
  bad.misbehaviour.set('*', 'SERVFAIL');
  assert.deepEqual(await fresh([bad.address, server.address]).resolve('a.test', 'AAAA'), ['2001:db8::1']);
  await bad.close();
  assert.deepEqual(await fresh([bad.address, server.address]).resolve('a.test', 'AAAA'), ['2001:db8::1']);
});

test('keeps a value for its lifetime, and none for a lifetime of 0', () => {
  let now = 0;
  const cache = createDnsCache<string>(10_000, () => now);
  cache.set('a', 'A', 1000, 10);
  cache.set('b', 'B', 0, 10);
  now = 999;
  assert.deepEqual([cache.get('a'), cache.get('b')], ['A', undefined]);
  now = 1000;
  assert.equal(cache.get('a'), undefined);
});

test('evicts the entry that was not used for longest', () => {
  const cache = createDnsCache<string>(900, () => 0);
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 1000, 100);
  cache.get('a');
  cache.set('d', 'd', 1000, 100);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    ['a', undefined, 'c', 'd'],
  );
});

test('counts a replaced value once, and stores none that is larger than the cache', () => {
  const cache = createDnsCache<number>(900, () => 0);
  for (let i = 0; i < 100; i++) cache.set('a', i, 1000, 400);
  cache.set('huge', 1, 1000, 5000);
  assert.deepEqual([cache.get('a'), cache.get('huge')], [99, undefined]);
});
