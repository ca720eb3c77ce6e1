import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AuthResult } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { openLab, plainMail } from './lab.ts';

const includes = (count: number) =>
  `v=spf1 ${Array.from({ length: count }, (_, i) => `include:i${i}.test`).join(' ')} -all`;

const lab = await openLab({
  'pass.test': { TXT: ['something else', 'v=spf1 ip4:192.0.2.0/24 -all'] },
  'fail.test': { TXT: ['v=spf1 ip4:198.51.100.1 -all'] },
  'why.test': { TXT: ['v=spf1 -all exp=exp.why.test'] },
  'exp.why.test': { TXT: ['not from %{i}'] },
  'softfail.test': { TXT: ['v=spf1 ~all'] },
  'neutral.test': { TXT: ['v=spf1 ?all'] },
  'silent.test': { TXT: ['nothing of SPF'] },
  'two.test': { TXT: ['v=spf1 -all', 'v=spf1 +all'] },
  'syntax.test': { TXT: ['v=spf1 nonsense -all'] },
  'many.test': { TXT: [includes(11)] },
  'ten.test': { TXT: [includes(10)] },
  ...Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`i${i}.test`, { TXT: ['v=spf1 ?all'] }])),
  'void.test': { TXT: ['v=spf1 a:v1.gone a:v2.gone a:v3.gone -all'] },
  'mx.test': { TXT: ['v=spf1 mx -all'], MX: [[10, 'host.mx.test']] },
  'host.mx.test': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
  'a.test': { TXT: ['v=spf1 a -all'], A: ['192.0.2.7', '192.0.2.1'] },
  'ptr.test': { TXT: ['v=spf1 ptr -all'] },
  '1.2.0.192.in-addr.arpa': { PTR: ['host.ptr.test'] },
  'host.ptr.test': { A: ['192.0.2.1'] },
  'redirect.test': { TXT: ['v=spf1 redirect=pass.test'] },
  'exists.test': { TXT: ['v=spf1 exists:%{ir}.%{l1r-}.list.test -all'] },
  '1.2.0.192.strange.list.test': { A: ['127.0.0.2'] },
  'helo.test': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
  'local.test': { TXT: ['v=spf1 ip4:127.0.0.0/8 ip6:::1 -all'] },
});
after(() => lab.dns.close());
lab.dns.misbehaviour.set('broken.test', 'SERVFAIL').set('refusing.test', 'REFUSED');

const cases: [AuthResult, Partial<Arrival> & { mailFrom: string }][] = [
  ['pass', { mailFrom: 'qa@pass.test' }],
  ['pass', { mailFrom: 'qa@PASS.Test' }],
  ['fail', { mailFrom: 'qa@fail.test' }],
  ['fail', { mailFrom: 'qa@why.test' }],
  ['softfail', { mailFrom: 'qa@softfail.test' }],
  ['neutral', { mailFrom: 'qa@neutral.test' }],
  ['none', { mailFrom: 'qa@silent.test' }],
  ['none', { mailFrom: 'qa@gone.example' }],
  ['none', { mailFrom: 'qa@localhost' }],
  ['permerror', { mailFrom: 'qa@two.test' }],
  ['permerror', { mailFrom: 'qa@syntax.test' }],
  ['permerror', { mailFrom: 'qa@many.test' }],
  ['fail', { mailFrom: 'qa@ten.test' }],
  ['permerror', { mailFrom: 'qa@void.test' }],
  ['temperror', { mailFrom: 'qa@broken.test' }],
  ['temperror', { mailFrom: 'qa@refusing.test' }],
  ['pass', { mailFrom: 'qa@mx.test' }],
  ['pass', { mailFrom: 'qa@mx.test', remoteAddress: '2001:db8::1' }],
  ['pass', { mailFrom: 'qa@mx.test', remoteAddress: '::ffff:192.0.2.1' }],
  ['fail', { mailFrom: 'qa@mx.test', remoteAddress: '192.0.2.2' }],
  ['pass', { mailFrom: 'qa@a.test' }],
  ['pass', { mailFrom: 'qa@ptr.test' }],
  ['pass', { mailFrom: 'qa@redirect.test' }],
  ['pass', { mailFrom: 'strange@exists.test' }],
  ['pass', { mailFrom: '', helo: 'helo.test' }],
  ['none', { mailFrom: '', helo: '[192.0.2.1]' }],
  ['none', { mailFrom: '', helo: '192.0.2.1' }],
  ['none', { mailFrom: '', helo: null }],
  ['none', { mailFrom: 'qa@pass.test', remoteAddress: null }],
  ['fail', { mailFrom: 'qa@pass.test', remoteAddress: '127.0.0.1' }],
  ['pass', { mailFrom: 'qa@local.test', remoteAddress: '127.0.0.1' }],
  ['pass', { mailFrom: 'qa@local.test', remoteAddress: '::1' }],
];
for (const [result, change] of cases) {
  test(`SPF is ${result} for ${JSON.stringify(change)}`, async () => {
    const { authentication } = await lab.check(plainMail, change);
    assert.equal(authentication.spf.result, result, authentication.spf.explanation ?? '');
    assert.match(authentication.header, new RegExp(`spf=${result}\\b`));
  });
}

test('the explanation gives the reason, in the words of the domain too', async () => {
  const { spf } = (await lab.check(plainMail, { mailFrom: 'qa@why.test' })).authentication;
  assert.equal(spf.domain, 'why.test');
  assert.match(
    spf.explanation ?? '',
    /^domain of qa@why\.test does not designate 192\.0\.2\.1.*not from 192\.0\.2\.1/,
  );
});

test('a hostile record makes at most 40 questions', async () => {
  const mx = (list: string): [number, string][] =>
    Array.from({ length: 10 }, (_, i) => [i, `${list}${i}.mx.hostile`]);
  for (let i = 0; i < 10; i++) lab.dns.zones[`m${i}.hostile`] = { MX: mx(`m${i}x`) };
  const terms = Array.from({ length: 10 }, (_, i) => `mx:m${i}.hostile`).join(' ');
  lab.dns.zones['top.hostile'] = { TXT: [`v=spf1 ${terms} -all`] };
  for (let i = 0; i < 100; i++)
    lab.dns.zones[`m${Math.floor(i / 10)}x${i % 10}.mx.hostile`] = { A: ['203.0.113.1'] };
  const before = lab.dns.questions.length;
  const { spf } = (await lab.check(plainMail, { mailFrom: 'qa@top.hostile' })).authentication;
  // On a busy machine, a query is repeated.
  const asked = new Set(lab.dns.questions.slice(before).map((question) => JSON.stringify(question)));
  assert.ok(asked.size <= 40, `${asked.size} questions`);
  assert.equal(spf.result, 'temperror');
});
