import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyRecord, sign } from '#test/once/mail-auth/lab.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await startMailProgram();
const user = mail.user;
const raw = await sign(
  [
    'From: Shop <news@shop.example>',
    `To: ${user.address}`,
    'Subject: Hello',
    'Message-ID: <1@shop.example>',
    'Content-Type: text/plain',
    '',
    'A body.',
    '',
  ].join('\r\n'),
  { key: 'rsa2048', signingDomain: 'shop.example', selector: 's1' },
);
const signed: number = await deliverOne(mail.program, { to: user.address, from: 'bounce@shop.example', raw });

const path = () => `/api/messages/${signed}/authentication`;
const ask = (body: object) => ok(user.api.post(path(), body));
const client_ip = '203.0.113.7';
const published = {
  'shop.example': { TXT: ['v=spf1 ip4:203.0.113.7 -all'] },
  's1._domainkey.shop.example': { TXT: [keyRecord('rsa2048')] },
  '_dmarc.shop.example': { TXT: ['v=DMARC1; p=reject'] },
};

test('records that are not published yet say whether a mail will pass, and nothing is stored', async () => {
  const before = (await user.api.get(`/api/messages/${signed}`)).json;
  const questions = mail.dns.questions.length;
  const found = await ask({ client_ip, records: published, dns: false });
  assert.deepEqual(Object.keys(found), ['spf', 'dkim', 'dmarc', 'arc', 'audit']);
  assert.deepEqual([found.spf.result, found.spf.domain], ['pass', 'shop.example']);
  assert.deepEqual(
    found.dkim.map(({ result, selector, aligned }: Record<string, unknown>) => [result, selector, aligned]),
    [['pass', 's1', true]],
  );
  const dmarc = {
    result: 'pass',
    domain: 'shop.example',
    policy: 'reject',
    aligned_spf: true,
    aligned_dkim: true,
  };
  assert.deepEqual(found.dmarc, dmarc);
  assert.deepEqual(found.arc, { result: 'none' });
  assert.match(found.audit.authentication_results, /spf=pass .*dmarc=pass/s);
  assert.equal(found.audit.message_id, '<1@shop.example>');
  assert.ok(found.audit.checks.passed.some(({ id }: { id: string }) => id === 'spf'));
  // Findings for the bytes match the message's.
  const others = (audit: typeof found.audit) =>
    Object.values(audit.checks)
      .flat()
      .map((check) => (check as { id: string }).id)
      .filter((id) => !/^(spf|dkim|dmarc|arc)/.test(id))
      .sort();
  assert.deepEqual(others(found.audit), others(before.audit));
  assert.equal(mail.dns.questions.length, questions);
  assert.deepEqual((await user.api.get(`/api/messages/${signed}`)).json, before);
});

const spf = (record: string, more: object = {}) => ({ 'shop.example': { TXT: [record] }, ...more });
const cases: [name: string, result: string, body: object][] = [
  ['no record', 'none', { client_ip }],
  ['another address', 'fail', { client_ip: '198.51.100.1', records: published }],
  ['an IPv6 address', 'pass', { client_ip: '2001:db8::1', records: spf('v=spf1 ip6:2001:db8::/32 -all') }],
  [
    'an A record',
    'pass',
    { client_ip, records: spf('v=spf1 a:out.shop.example -all', { 'out.shop.example': { A: [client_ip] } }) },
  ],
  [
    'an AAAA record',
    'pass',
    {
      client_ip: '2001:db8::1',
      records: spf('v=spf1 a:Out.Shop.Example. -all', { 'OUT.shop.example.': { AAAA: ['2001:db8::1'] } }),
    },
  ],
  [
    'an MX record',
    'pass',
    {
      client_ip,
      records: spf('v=spf1 mx -all', {
        'shop.example': { TXT: ['v=spf1 mx -all'], MX: ['10 mx.shop.example'] },
        'mx.shop.example': { A: [client_ip] },
      }),
    },
  ],
  [
    'a PTR record',
    'pass',
    {
      client_ip,
      records: spf('v=spf1 ptr -all', {
        '7.113.0.203.in-addr.arpa': { PTR: ['a.shop.example'] },
        'a.shop.example': { A: [client_ip] },
      }),
    },
  ],
  [
    'an alias',
    'pass',
    {
      client_ip,
      records: spf('v=spf1 include:spf.shop.example -all', {
        'spf.shop.example': { CNAME: ['p.example'] },
        'p.example': { TXT: ['v=spf1 ip4:203.0.113.7 -all'] },
      }),
    },
  ],
  [
    'aliases in a circle',
    'temperror',
    {
      client_ip,
      records: spf('v=spf1 include:a.example -all', {
        'a.example': { CNAME: ['b.example'] },
        'b.example': { CNAME: ['a.example'] },
      }),
    },
  ],
  [
    'another sender',
    'pass',
    { client_ip, mail_from: 'a@other.example', records: { 'other.example': { TXT: ['v=spf1 +all'] } } },
  ],
  [
    'the null sender, by its HELO',
    'pass',
    { client_ip, mail_from: '', helo: 'out.example', records: { 'out.example': { TXT: ['v=spf1 +all'] } } },
  ],
  [
    'two records',
    'permerror',
    { client_ip, records: { 'shop.example': { TXT: ['v=spf1 +all', 'v=spf1 -all'] } } },
  ],
];

for (const [name, result, body] of cases) {
  test(`SPF is ${result} with ${name}`, async () => {
    assert.equal((await ask({ dns: false, ...body })).spf.result, result);
  });
}

test('the DNS is asked for the rest, if that is wanted', async () => {
  mail.dns.zones['shop.example'] = { TXT: ['v=spf1 ip4:203.0.113.7 -all'] };
  mail.dns.zones['_dmarc.shop.example'] = { TXT: ['v=DMARC1; p=none'] };
  const records = { '_dmarc.shop.example': { TXT: ['v=DMARC1; p=reject'] } };
  const { spf, dmarc } = await ask({ client_ip, records, dns: true });
  assert.deepEqual([spf.result, dmarc.policy], ['pass', 'reject']);
  // An empty list hides published records.
  const hidden = await ask({ client_ip, records: { 'shop.example': { TXT: [] } }, dns: true });
  assert.deepEqual([hidden.spf.result, hidden.dmarc.policy], ['none', 'none']);
  assert.equal((await ask({ client_ip })).spf.result, 'none');
});

const refused: [name: string, body: object, field: string][] = [
  ['no address', {}, 'client_ip'],
  ['a host', { client_ip: 'shop.example' }, 'client_ip'],
  ['a zone', { client_ip: 'fe80::1%eth0' }, 'client_ip'],
  ['a name with a space', { client_ip, records: { 'a b.example': { TXT: ['x'] } } }, 'records'],
  ['a long name', { client_ip, records: { [`${'a.'.repeat(130)}example`]: { TXT: ['x'] } } }, 'records'],
  ['an unknown type', { client_ip, records: { 'a.example': { SRV: ['x'] } } }, 'records'],
  ['a text in place of a list', { client_ip, records: { 'a.example': { TXT: 'x' } } }, 'records'],
  ['a list in place of types', { client_ip, records: { 'a.example': ['x'] } }, 'records'],
  ['a wrong A', { client_ip, records: { 'a.example': { A: ['::1'] } } }, 'records'],
  ['a wrong AAAA', { client_ip, records: { 'a.example': { AAAA: ['192.0.2.1'] } } }, 'records'],
  ['a wrong MX', { client_ip, records: { 'a.example': { MX: ['mx.example'] } } }, 'records'],
  ['a number', { client_ip, records: { 'a.example': { TXT: [1] } } }, 'records'],
  [
    'many names',
    {
      client_ip,
      records: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}.example`, { TXT: ['x'] }])),
    },
    'records',
  ],
  [
    'many names without a type',
    {
      client_ip,
      records: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}.example`, {}])),
    },
    'records',
  ],
  ['many records', { client_ip, records: { 'a.example': { TXT: Array(21).fill('x') } } }, 'records'],
  ['a long record', { client_ip, records: { 'a.example': { TXT: ['x'.repeat(4097)] } } }, 'records'],
  ['a list of records', { client_ip, records: [] }, 'records'],
  ['no flag', { client_ip, dns: 'yes' }, 'dns'],
];

for (const [name, body, field] of refused) {
  test(`422 for ${name}`, async () => {
    const { status, json } = await user.api.post(path(), body);
    assert.deepEqual([status, json.violations?.[0]?.field], [422, field], JSON.stringify(json));
  });
}

test('a name of JavaScript is a name', async () => {
  const body = `{"client_ip":"${client_ip}","records":{"__proto__":{"TXT":["v=spf1 +all"]}},"mail_from":"a@__proto__"}`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await user.api.call('POST', path(), { body, headers });
  assert.equal(status, 200);
});

test('questions that wait for the DNS leave a place to those of others', async () => {
  const domain = 'silent.example';
  for (const name of [domain, `s._domainkey.${domain}`]) mail.dns.misbehaviour.set(name, 'silent');
  const id = await deliverOne(mail.program, { to: user.address, from: `a@${domain}` });
  const other = await createUser(mail.program);
  const own = await deliverOne(mail.program, { to: other.address });
  mail.dns.questions.length = 0;
  let answers = 0;
  const question = { client_ip, dns: true };
  const asked = Array.from({ length: 6 }, async () => {
    await user.api.post(`/api/messages/${id}/authentication`, question);
    answers += 1;
  });
  await until(() => mail.dns.questions.includes(`TXT ${domain}`));
  await ok(other.api.post(`/api/messages/${own}/authentication`, { client_ip }));
  assert.equal(answers, 0, 'the others still wait');
  await Promise.all(asked);
});
