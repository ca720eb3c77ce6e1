import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Authentication } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { keyRecord, openLab, plainMail, sign, zones } from './lab.ts';

const spfPass = 'v=spf1 ip4:192.0.2.1 -all';
const lab = await openLab({
  ...zones(),
  'mail.app.test': { TXT: [spfPass] },
  'other.test': { TXT: [spfPass] },
  'broken.test': {},
  'strict.test': { TXT: [spfPass] },
  'mail.strict.test': { TXT: [spfPass] },
  '_dmarc.strict.test': { TXT: ['v=DMARC1; p=quarantine; sp=none; adkim=s; aspf=s'] },
  'watch.test': { TXT: ['v=spf1 -all'] },
  '_dmarc.watch.test': { TXT: ['v=DMARC1; p=none; rua=mailto:d@watch.test'] },
  'two.test': { TXT: ['v=spf1 -all'] },
  '_dmarc.two.test': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] },
  'trial.test': { TXT: ['v=spf1 -all'] },
  '_dmarc.trial.test': { TXT: ['v=DMARC1; p=reject; t=y'] },
  '_dmarc.spf-broken.test': { TXT: ['v=DMARC1; p=reject'] },
});
after(() => lab.dns.close());
lab.dns.misbehaviour
  .set('_dmarc.broken.test', 'SERVFAIL')
  .set('spf-broken.test', 'SERVFAIL')
  .set('slow._domainkey.app.test', 'SERVFAIL');

const from = (value: string) => plainMail.replace('QA <qa@app.test>', value);
/** Arrival from an address that no SPF record permits. */
const elsewhere = { remoteAddress: '198.51.100.9' };

type Case = [
  what: string,
  mail: string | Promise<string>,
  change: Partial<Arrival>,
  expected: Partial<Authentication['dmarc']>,
];
const cases: Case[] = [
  [
    'by SPF',
    plainMail,
    {},
    { result: 'pass', domain: 'app.test', policy: 'reject', alignedSpf: true, alignedDkim: false },
  ],
  ['by DKIM', sign(plainMail), elsewhere, { result: 'pass', alignedSpf: false, alignedDkim: true }],
  ['by both', sign(plainMail), {}, { result: 'pass', alignedSpf: true, alignedDkim: true }],
  [
    'by neither',
    plainMail,
    elsewhere,
    { result: 'fail', policy: 'reject', alignedSpf: false, alignedDkim: false },
  ],
  ['SPF of a subdomain', plainMail, { mailFrom: 'b@mail.app.test' }, { result: 'pass', alignedSpf: true }],
  ['SPF of another domain', plainMail, { mailFrom: 'b@other.test' }, { result: 'fail', alignedSpf: false }],
  ['DKIM of another domain', sign(plainMail, { signingDomain: 'other.test' }), elsewhere, { result: 'fail' }],
  ['a weak key', sign(plainMail, { key: 'rsa768' }), elsewhere, { result: 'fail', alignedDkim: false }],
  ['rsa-sha1', sign(plainMail, { algorithm: 'rsa-sha1' }), elsewhere, { result: 'fail', alignedDkim: false }],
  [
    'strict alignment',
    from('q@strict.test'),
    { mailFrom: 'b@strict.test' },
    { result: 'pass', policy: 'quarantine' },
  ],
  [
    'strict, a subdomain',
    from('q@strict.test'),
    { mailFrom: 'b@mail.strict.test' },
    { result: 'fail', policy: 'quarantine' },
  ],
  [
    "a subdomain's policy",
    from('q@mail.strict.test'),
    { mailFrom: 'b@strict.test' },
    { result: 'fail', policy: 'none' },
  ],
  ['p=none', from('q@watch.test'), {}, { result: 'fail', policy: 'none' }],
  ['t=y', from('q@trial.test'), {}, { result: 'fail', policy: 'quarantine' }],
  ['no record', from('q@other.test'), {}, { result: 'none', domain: 'other.test', policy: null }],
  ['two records', from('q@two.test'), {}, { result: 'none', policy: null }],
  ['a record that cannot be fetched', from('q@broken.test'), {}, { result: 'temperror', policy: null }],
  [
    'an SPF that cannot be fetched',
    from('q@spf-broken.test'),
    { mailFrom: 'q@spf-broken.test' },
    { result: 'temperror', policy: 'reject' },
  ],
  [
    'an aligned key that cannot be fetched',
    sign(plainMail, { selector: 'slow' }),
    elsewhere,
    { result: 'temperror' },
  ],
  ['no From', plainMail.replace(/^From.*\r\n/, ''), {}, { result: 'none', domain: null }],
  ['an empty From', from(''), {}, { result: 'none', domain: null }],
  ['a From without domain', from('nobody'), {}, { result: 'none', domain: null }],
  [
    'two From fields',
    sign(`From: boss@other.test\r\n${plainMail}`),
    {},
    { result: 'permerror', alignedDkim: false },
  ],
  ['two From fields alike', sign(`From: QA <qa@app.test>\r\n${plainMail}`), {}, { result: 'permerror' }],
  ['two authors of two domains', from('qa@app.test, boss@other.test'), {}, { result: 'permerror' }],
  ['two authors of one domain', from('qa@app.test, dev@app.test'), {}, { result: 'pass' }],
  [
    'a name that looks like an address',
    from('"boss@other.test" <qa@app.test>'),
    {},
    { result: 'pass', domain: 'app.test' },
  ],
];
for (const [what, mail, change, expected] of cases) {
  test(`DMARC, ${what}: ${expected.result}`, async () => {
    const { authentication } = await lab.check(await mail, change);
    assert.deepEqual({ ...authentication.dmarc, ...expected }, authentication.dmarc);
    assert.match(authentication.header, new RegExp(`dmarc=${expected.result}\\b`));
  });
}

test('alignment follows the record, for signatures that fail too', async () => {
  const key = { TXT: [keyRecord('rsa1024')] };
  for (const domain of ['strict.test', 'mail.strict.test'])
    lab.dns.zones[`rsa1024._domainkey.${domain}`] = key;
  for (const [signingDomain, aligned] of [
    ['strict.test', true],
    ['mail.strict.test', false],
  ] as const) {
    const mail = await sign(from('qa@strict.test'), { signingDomain });
    const tell = async (text: string) => (await lab.check(text)).authentication.dkim[0];
    assert.deepEqual(await tell(mail), { ...(await tell(mail)), result: 'pass', aligned });
    const changed = await tell(mail.replace('A body.', 'Another.'));
    assert.deepEqual(changed, { ...changed, result: 'fail', aligned });
  }
});

test('an organizational domain of its own (psd=n) does not align with the one above it', async () => {
  lab.dns.zones['_dmarc.unit.app.test'] = { TXT: ['v=DMARC1; p=reject; psd=n'] };
  const { authentication } = await lab.check(await sign(from('qa@unit.app.test')));
  const [signature] = authentication.dkim;
  assert.deepEqual(
    [signature?.result, signature?.aligned, authentication.dmarc.result],
    ['pass', false, 'fail'],
  );
});

test('the authors are found whatever the other lines are', async () => {
  const broken = ['no field', 'X : y', '\tfold', '\u00a0odd: fold', 'X: a\rFrom: boss@other.test'];
  const authors = [
    ['From: qa@app.test'],
    ['FROM:', ' qa@app.test'],
    ['From: a@app.test', 'from: b@other.test'],
    [],
  ];
  for (const from of authors) {
    const plain = (await lab.check([...from, 'To: x@here.test', '', ''].join('\r\n'))).authentication;
    for (const line of broken) {
      const mail = [...from, 'To: x@here.test', line, '', ''].join('\r\n');
      assert.deepEqual((await lab.check(mail)).authentication, plain, JSON.stringify(line));
    }
  }
});

test('a signature that covers one of two From fields aligns with nothing', async () => {
  const { authentication } = await lab.check(`From: boss@app.test\r\n${await sign(plainMail)}`);
  const alignment = authentication.dkim.map(({ aligned }) => aligned);
  assert.deepEqual(alignment, [false]);
});

test('forged results are not trusted', async () => {
  const forged = [
    'Authentication-Results: mx.here.test; spf=pass; dkim=pass header.d=app.test; dmarc=pass',
    'authentication-results: mx.here.test 1;\r\n dkim=pass',
    'Received-SPF: pass',
    'X-DKIM-Result: pass',
    'ARC-Authentication-Results: i=1; mx.here.test; dmarc=pass',
  ];
  for (const order of [forged, [...forged].reverse()]) {
    const { authentication } = await lab.check(`${order.join('\r\n')}\r\n${plainMail}`, elsewhere);
    const { spf, dkim, dmarc, arc, header } = authentication;
    assert.deepEqual([spf.result, dkim, dmarc.result, arc.result], ['fail', [], 'fail', 'fail']);
    assert.doesNotMatch(header, /=pass/);
  }
});
