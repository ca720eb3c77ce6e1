import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Authenticated } from '#adapters/mail-auth/mail-auth.ts';
import { keyRecord, openLab, plainMail, receivedAt, sign } from './lab.ts';

const lab = await openLab();
after(() => lab.dns.close());
lab.dns.zones['revoked._domainkey.app.test'] = { TXT: ['v=DKIM1; p='] };
lab.dns.zones['broken._domainkey.app.test'] = { TXT: ['v=DKIM1; p=AAAA'] };
lab.dns.zones['tested._domainkey.app.test'] = { TXT: [`${keyRecord('rsa1024')}; t=y`] };
lab.dns.misbehaviour.set('servfail._domainkey.app.test', 'SERVFAIL');

const seconds = (n: number) => new Date(receivedAt.getTime() + n * 1000);
const bits1024 = { keyBits: 1024, algorithm: 'rsa-sha256', bodyLength: null };

type Case = {
  mail: string | Promise<string>;
  expected: Partial<Authenticated['authentication']['dkim'][number]>;
  facts?: Partial<Authenticated['signatures'][number]>;
};
const cases: Record<string, Case> = {
  'a good signature': {
    mail: sign(plainMail),
    expected: { result: 'pass', domain: 'app.test', selector: 'rsa1024', aligned: true, info: null },
    facts: bits1024,
  },
  'a key of 2048 bits': {
    mail: sign(plainMail, { key: 'rsa2048' }),
    expected: { result: 'pass' },
    facts: { keyBits: 2048 },
  },
  'simple canonicalization': {
    mail: sign(plainMail, { canonicalization: 'simple/simple' }),
    expected: { result: 'pass' },
  },
  Ed25519: {
    mail: sign(plainMail, { key: 'ed25519' }),
    expected: { result: 'pass', aligned: true },
    facts: { keyBits: 256, algorithm: 'ed25519-sha256' },
  },
  'a body that was changed': {
    mail: sign(plainMail).then((mail) => mail.replace('A body.', 'Another body.')),
    expected: { result: 'fail', aligned: true, info: 'body hash did not verify' },
  },
  'a header that was changed': {
    mail: sign(plainMail).then((mail) => mail.replace('Subject: Hello', 'Subject: Goodbye')),
    expected: { result: 'fail', info: 'bad signature' },
    facts: bits1024,
  },
  'a signature of another domain': {
    mail: sign(plainMail, { signingDomain: 'other.test' }),
    expected: { result: 'pass', domain: 'other.test', aligned: false },
  },
  'a signature of a subdomain': {
    mail: sign(plainMail, { signingDomain: 'mail.app.test' }),
    expected: { result: 'pass', domain: 'mail.app.test', aligned: true },
  },
  'a signature that has expired': {
    mail: sign(plainMail, { signTime: seconds(-100), expires: seconds(-1) }),
    expected: { result: 'fail', info: 'expired' },
  },
  'a signature that has not yet expired': {
    mail: sign(plainMail, { expires: seconds(60) }),
    expected: { result: 'pass' },
  },
  'a key of 512 bits': {
    mail: sign(plainMail, { key: 'rsa512' }),
    expected: { result: 'policy', info: 'weak key' },
    facts: { keyBits: 512 },
  },
  'a key of 768 bits': {
    mail: sign(plainMail, { key: 'rsa768' }),
    expected: { result: 'policy', info: 'weak key' },
    facts: { keyBits: 768 },
  },
  'rsa-sha1': {
    mail: sign(plainMail, { algorithm: 'rsa-sha1' }),
    expected: { result: 'policy', info: 'weak algorithm' },
    facts: { algorithm: 'rsa-sha1' },
  },
  'l= over the whole body': {
    mail: sign(plainMail, { maxBodyLength: 9 }),
    expected: { result: 'pass', info: null },
    facts: { bodyLength: 9 },
  },
  'l= and a body that was added to': {
    mail: sign(plainMail, { maxBodyLength: 9 }).then((mail) => `${mail}More.\r\n`),
    expected: { result: 'pass', info: '7 octets of the body are not signed (l=)' },
    facts: { bodyLength: 9 },
  },
  'no key': { mail: sign(plainMail, { selector: 'none' }), expected: { result: 'neutral', info: 'no key' } },
  'a revoked key': {
    mail: sign(plainMail, { selector: 'revoked' }),
    expected: { result: 'neutral', info: 'invalid public key' },
  },
  'a key that is none': {
    mail: sign(plainMail, { selector: 'broken' }),
    expected: { result: 'neutral', info: 'unknown key type' },
  },
  'a key being tested': {
    mail: sign(plainMail, { selector: 'tested' }),
    expected: { result: 'pass', info: 'the key is in testing mode (t=y)' },
  },
  'a key that cannot be fetched': {
    mail: sign(plainMail, { selector: 'servfail' }),
    expected: { result: 'temperror', info: 'DNS failure: ESERVFAIL', aligned: true },
  },
  'a signature that does not cover From': {
    mail: sign(plainMail).then((mail) => mail.replace(/h=[^;]+/, 'h=Subject')),
    expected: { result: 'neutral', info: 'From field not signed' },
  },
  'a signature that is none': {
    mail: `DKIM-Signature: v=1; a=rsa-sha256; nonsense\r\n${plainMail}`,
    expected: { result: 'neutral', domain: null, selector: null },
    facts: { keyBits: null, algorithm: 'rsa-sha256' },
  },
};

for (const [what, { mail, expected, facts }] of Object.entries(cases)) {
  test(`${what} is ${expected.result}`, async () => {
    const { authentication, signatures } = await lab.check(await mail);
    assert.equal(authentication.dkim.length, 1);
    assert.deepEqual({ ...authentication.dkim[0], ...expected }, authentication.dkim[0]);
    assert.deepEqual({ ...signatures[0], ...facts }, signatures[0]);
    assert.ok(authentication.header.includes(`dkim=${expected.result}`), authentication.header);
    assert.equal(
      authentication.dmarc.alignedDkim,
      expected.result === 'pass' && authentication.dkim[0]?.aligned,
    );
  });
}

test('each signature has a result, in the order of the message', async () => {
  const two = await sign(await sign(plainMail, { key: 'ed25519' }), { signingDomain: 'other.test' });
  const { authentication, signatures } = await lab.check(two.replace('A body.', 'A body.'));
  assert.deepEqual(
    authentication.dkim.map(({ domain, result, aligned }) => [domain, result, aligned]),
    [
      ['other.test', 'pass', false],
      ['app.test', 'pass', true],
    ],
  );
  const algorithms = signatures.map(({ algorithm }) => algorithm);
  assert.deepEqual(algorithms, ['rsa-sha256', 'ed25519-sha256']);
});

test('mail without a signature has no DKIM result', async () => {
  const { authentication, signatures } = await lab.check(plainMail);
  assert.deepEqual([authentication.dkim, signatures], [[], []]);
  assert.match(authentication.header, /dkim=none/);
});
