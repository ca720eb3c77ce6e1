import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditChecks, Authentication } from '#core/messages/content.ts';
import { fine } from '#test/support/program/audit-facts.ts';
import { audit } from './audit.ts';
import type { AuditFacts } from './facts.ts';

/** Severity of each check of an email: `{ spf: 'passed', … }`. */
function places(change: Partial<AuditFacts>): Record<string, keyof AuditChecks> {
  const checks = audit({ ...fine, ...change });
  const placed = (Object.keys(checks) as (keyof AuditChecks)[]).flatMap((severity) =>
    checks[severity].map(({ id }) => [id, severity] as const),
  );
  assert.equal(new Set(placed.map(([id]) => id)).size, placed.length, 'an id occurs twice');
  return Object.fromEntries(placed);
}

const asExpected = places({});

test('a mail in order passes every check', () => {
  assert.deepEqual(new Set(Object.values(asExpected)), new Set(['passed']));
  assert.equal(Object.keys(asExpected).length, 29);
});

const set = (name: string, value: string) => ({
  headers: fine.headers.map((header) => (header.name === name ? { name, value } : header)),
});
const drop = (...names: string[]) => ({ headers: fine.headers.filter(({ name }) => !names.includes(name)) });
const add = (name: string, value: string) => ({ headers: [...fine.headers, { name, value }] });
const auth = (change: Partial<Authentication>) => ({ authentication: { ...fine.authentication, ...change } });
const spf = (result: Authentication['spf']['result']) =>
  auth({ spf: { result, domain: 'app.test', explanation: 'why' } });
const signature = { result: 'pass', domain: 'app.test', selector: 's', aligned: true, info: null } as const;
const dkim = (...results: Partial<Authentication['dkim'][number]>[]) =>
  auth({ dkim: results.map((result) => ({ ...signature, ...result })) });
const dmarc = (change: Partial<Authentication['dmarc']>) =>
  auth({ dmarc: { ...fine.authentication.dmarc, ...change } });
const keys = (...changes: Partial<AuditFacts['signatures'][number]>[]) => ({
  signatures: changes.map((change) => ({
    keyBits: 2048,
    algorithm: 'rsa-sha256',
    bodyLength: null,
    ...change,
  })),
});

/** Differences from an email that passes every check; `gone`: the check does not run. */
type Differences = Record<string, keyof AuditChecks | 'gone'>;
const cases: [what: string, change: Partial<AuditFacts>, differences: Differences][] = [
  ['SPF fails', spf('fail'), { spf: 'critical' }],
  ['SPF softfails', spf('softfail'), { spf: 'warning' }],
  ['SPF is neutral', spf('neutral'), { spf: 'warning' }],
  ['no SPF record', spf('none'), { spf: 'warning' }],
  [
    'no address to check',
    auth({ spf: { result: 'none', domain: null, explanation: null } }),
    { spf: 'info' },
  ],
  ['a wrong SPF record', spf('permerror'), { spf: 'critical' }],
  ['SPF not known', spf('temperror'), { spf: 'warning' }],
  [
    'no signature',
    { ...dkim(), signatures: [] },
    { dkim: 'warning', 'dkim-body-length': 'gone', 'dkim-key-size': 'gone', 'dkim-algorithm': 'gone' },
  ],
  ['a signature fails', dkim({ result: 'fail' }), { dkim: 'critical' }],
  ['a key is missing', dkim({ result: 'neutral', info: 'no key' }), { dkim: 'critical' }],
  ['a key is not known', dkim({ result: 'temperror' }), { dkim: 'warning' }],
  ['a signature of another domain', dkim({ aligned: false }), { dkim: 'info' }],
  ['a second one fails', dkim({}, { result: 'fail' }), { 'dkim-2': 'warning' }],
  ['both fail', dkim({ result: 'fail' }, { result: 'policy' }), { dkim: 'critical', 'dkim-2': 'critical' }],
  ['no algorithm known', keys({ algorithm: null }), {}],
  ['l= in one of two', keys({ bodyLength: 0 }, {}), { 'dkim-body-length': 'warning' }],
  ['rsa-sha1 in one of two', keys({ algorithm: 'rsa-sha1' }, {}), { 'dkim-algorithm': 'critical' }],
  ['the shorter of two keys', keys({}, { keyBits: 512 }), { 'dkim-key-size': 'critical' }],
  ['SPF by a policy', spf('policy'), { spf: 'warning' }],
  ['DMARC neutral', dmarc({ result: 'neutral' }), { dmarc: 'warning' }],
  ['DMARC softfail', dmarc({ result: 'softfail' }), { dmarc: 'warning' }],
  ['DMARC by a policy', dmarc({ result: 'policy' }), { dmarc: 'warning' }],
  ['SPF passes for nobody', auth({ spf: { result: 'pass', domain: null, explanation: null } }), {}],
  ['l=', keys({ bodyLength: 0 }), { 'dkim-body-length': 'warning' }],
  ['512 bits', keys({ keyBits: 512 }), { 'dkim-key-size': 'critical' }],
  ['1023 bits', keys({ keyBits: 1023 }), { 'dkim-key-size': 'critical' }],
  ['1024 bits', keys({ keyBits: 1024 }), { 'dkim-key-size': 'info' }],
  ['no bits known', keys({ keyBits: null }), {}],
  ['Ed25519', keys({ keyBits: 256, algorithm: 'ed25519-sha256' }), {}],
  ['rsa-sha1', keys({ algorithm: 'rsa-sha1' }), { 'dkim-algorithm': 'critical' }],
  ['DMARC fails', dmarc({ result: 'fail' }), { dmarc: 'critical' }],
  ['no DMARC record', dmarc({ result: 'none', policy: null }), { dmarc: 'warning', 'dmarc-policy': 'gone' }],
  [
    'no author',
    dmarc({ result: 'none', domain: null, policy: null }),
    { dmarc: 'critical', 'dmarc-policy': 'gone' },
  ],
  [
    'two authors',
    dmarc({ result: 'permerror', domain: null, policy: null }),
    { dmarc: 'critical', 'dmarc-policy': 'gone' },
  ],
  [
    'DMARC not known',
    dmarc({ result: 'temperror', policy: null }),
    { dmarc: 'warning', 'dmarc-policy': 'gone' },
  ],
  ['p=none', dmarc({ policy: 'none' }), { 'dmarc-policy': 'info' }],
  ['ARC passes', auth({ arc: { result: 'pass' } }), {}],
  ['ARC fails', auth({ arc: { result: 'fail' } }), { arc: 'warning' }],
  ['ARC not known', auth({ arc: { result: 'temperror' } }), { arc: 'warning' }],
  [
    'sent from here',
    { submitted: true, ...auth({ dkim: [] }), signatures: [] },
    {
      submitted: 'info',
      spf: 'gone',
      dkim: 'gone',
      dmarc: 'gone',
      arc: 'gone',
      'dmarc-policy': 'gone',
      'dkim-body-length': 'gone',
      'dkim-key-size': 'gone',
      'dkim-algorithm': 'gone',
    },
  ],
  ...['Message-ID', 'To', 'Subject'].map((name): [string, Partial<AuditFacts>, Differences] => [
    `no ${name}`,
    drop(name),
    { [name.toLowerCase()]: 'warning' },
  ]),
  ...['Message-ID', 'Date', 'From', 'To', 'Subject', 'MIME-Version'].map(
    (name): [string, Partial<AuditFacts>, Differences] => [
      `two ${name}`,
      add(name.toUpperCase(), fine.headers.find((header) => header.name === name)?.value ?? ''),
      { [name.toLowerCase()]: 'critical', ...(name === 'Date' ? { 'date-offset': 'gone' } : {}) },
    ],
  ),
  ['no From', drop('From'), { from: 'critical' }],
  ['no Date', drop('Date'), { date: 'critical', 'date-offset': 'gone' }],
  ['no MIME-Version', drop('MIME-Version'), { 'mime-version': 'warning' }],
  [
    'no MIME, and a field that has content- in its name',
    { headers: [...drop('MIME-Version', 'Content-Type').headers, { name: 'X-Content-Type', value: 'x' }] },
    {},
  ],
  ['neither MIME nor To', drop('MIME-Version', 'Content-Type', 'To'), { to: 'warning' }],
  ['no MIME at all', drop('MIME-Version', 'Content-Type'), {}],
  ['Message-ID without brackets', set('Message-ID', '1@app.test'), { 'message-id': 'warning' }],
  ['Message-ID without @', set('Message-ID', '<1>'), { 'message-id': 'warning' }],
  ['From without address', set('From', 'QA'), { from: 'critical' }],
  ['From empty', set('From', ''), { from: 'critical' }],
  ['To a list', set('To', '"Doe, J." <a@x.test>, b@y.test (B)'), {}],
  ['To an empty group', set('To', 'undisclosed-recipients:;'), {}],
  ['To a group', set('To', 'team: a@x.test, b@y.test;'), {}],
  ['To no address', set('To', 'everybody'), { to: 'warning' }],
  ['Subject empty', set('Subject', ' '), { subject: 'warning' }],
  ['MIME 2', set('MIME-Version', '2.0'), { 'mime-version': 'warning' }],
  ['MIME with a comment', set('MIME-Version', '1.0 (Mac OS X)'), {}],
  ['MIME with spaces', set('MIME-Version', ' 1 . 0 '), {}],
  ['MIME 11.0', set('MIME-Version', '11.0'), { 'mime-version': 'warning' }],
  ['MIME 1.00', set('MIME-Version', '1.00'), { 'mime-version': 'warning' }],
  ['MIME 21.0', set('MIME-Version', '21.0'), { 'mime-version': 'warning' }],
  ['Date in words', set('Date', 'yesterday'), { date: 'critical', 'date-offset': 'gone' }],
  ['Date of ISO', set('Date', '2026-11-21T10:00:00Z'), { date: 'critical', 'date-offset': 'gone' }],
  [
    'Date that does not exist',
    set('Date', '31 Nov 2026 10:00:00 +0000'),
    { date: 'critical', 'date-offset': 'gone' },
  ],
  ['Date in another zone', set('Date', '21 Nov 2026 23:59 +1400 (LINT)'), {}],
  ['Date of GMT', set('Date', 'Sat, 21 Nov 2026 10:00:00 GMT'), {}],
  ['Date 24 h before', set('Date', '20 Nov 2026 10:00:05 +0000'), {}],
  ['Date over 24 h before', set('Date', '20 Nov 2026 10:00:04 +0000'), { 'date-offset': 'warning' }],
  ['Date over 24 h after', set('Date', '22 Nov 2026 10:00:06 +0000'), { 'date-offset': 'warning' }],
  [
    'two Reply-To',
    { headers: [...add('Reply-To', 'a@x.test').headers, { name: 'reply-to', value: 'b@x.test' }] },
    { 'duplicate-headers': 'critical' },
  ],
  ['two Content-Type', add('content-type', 'text/html'), { 'duplicate-headers': 'critical' }],
  ['two Received', { headers: [...add('Received', 'x').headers, { name: 'Received', value: 'y' }] }, {}],
  ['size below 90 %', { sizeBytes: 8999 }, {}],
  ['size at 90 %', { sizeBytes: 9000 }, { size: 'warning' }],
  ['a bare CR', { bareCr: 1 }, { 'line-endings': 'critical' }],
  ['a bare LF', { bareLf: 1 }, { 'line-endings': 'critical' }],
  ['a line of 998', { longestLine: 998 }, {}],
  ['a line of 999', { longestLine: 999 }, { 'line-length': 'warning' }],
  ['an 8-bit header', { eightBitHeader: true }, { 'eight-bit-header': 'warning' }],
  ['an 8-bit header as declared', { eightBitHeader: true, smtpUtf8: true }, {}],
  ['HTML without text', { hasText: false }, { 'html-without-text': 'warning' }],
  ['neither HTML nor text', { hasText: false, hasHtml: false }, {}],
  ...(
    [
      ['no-blank-line', 'header-end', 'critical'],
      ['no-boundary', 'multipart', 'critical'],
      ['no-delimiter', 'multipart', 'critical'],
      ['no-part', 'multipart', 'critical'],
      ['not-closed', 'multipart', 'warning'],
      ['unknown-encoding', 'transfer-encoding', 'critical'],
      ['not-base64', 'transfer-encoding', 'critical'],
      ['cut-base64', 'transfer-encoding', 'warning'],
      ['broken-quoted-printable', 'transfer-encoding', 'warning'],
      ['undecodable', 'charset', 'warning'],
      ['unknown-charset', 'charset', 'warning'],
      ['undeclared-charset', 'charset', 'warning'],
    ] as const
  ).map(([kind, id, severity]): [string, Partial<AuditFacts>, Differences] => [
    kind,
    { faults: new Map([[kind, 'x\0y']]) },
    { [id]: severity },
  ]),
  [
    'faults of each kind',
    {
      faults: new Map([
        ['not-closed', 'b'],
        ['no-part', 'c'],
        ['cut-base64', ''],
        ['undecodable', 'x'.repeat(300)],
      ]),
    },
    { multipart: 'critical', 'transfer-encoding': 'warning', charset: 'warning' },
  ],
  ['too many parts', { structureLimit: 'mail.parts' }, { structure: 'warning' }],
  ['a long header', { headerLimit: 'mail.headerBytes' }, { parse: 'warning' }],
  ['not readable', { parseError: 'broken' }, { parse: 'critical' }],
  [
    'no List-Unsubscribe',
    drop('List-Unsubscribe', 'List-Unsubscribe-Post'),
    { 'list-unsubscribe': 'info', 'list-unsubscribe-one-click': 'gone' },
  ],
  [
    'List-Unsubscribe without brackets',
    set('List-Unsubscribe', 'https://app.test/u'),
    { 'list-unsubscribe': 'warning', 'list-unsubscribe-one-click': 'gone' },
  ],
  [
    'List-Unsubscribe by mail only',
    set('List-Unsubscribe', '<mailto:u@app.test>'),
    { 'list-unsubscribe-one-click': 'warning' },
  ],
  [
    'List-Unsubscribe by http',
    set('List-Unsubscribe', '<http://app.test/u>'),
    { 'list-unsubscribe-one-click': 'warning' },
  ],
  ['no List-Unsubscribe-Post', drop('List-Unsubscribe-Post'), { 'list-unsubscribe-one-click': 'warning' }],
  [
    'another List-Unsubscribe-Post',
    set('List-Unsubscribe-Post', 'yes'),
    { 'list-unsubscribe-one-click': 'warning' },
  ],
  ['spaces around', set('List-Unsubscribe-Post', ' List-Unsubscribe=One-Click '), {}],
  ['spaces inside', set('List-Unsubscribe', '< https://app.test/u>'), {}],
  [
    'two List-Unsubscribe-Post',
    add('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'),
    { 'list-unsubscribe-one-click': 'warning' },
  ],
  [
    'letters before the scheme',
    set('List-Unsubscribe', '<xhttps://app.test/u>'),
    { 'list-unsubscribe': 'warning', 'list-unsubscribe-one-click': 'gone' },
  ],
];
for (const [what, change, differences] of cases) {
  test(what, () => {
    const expected = Object.entries({ ...asExpected, ...differences }).filter(
      ([, place]) => place !== 'gone',
    );
    assert.deepEqual(places(change), Object.fromEntries(expected));
  });
}

test('every check has an id in kebab-case, a title and one sentence', () => {
  for (const [, change] of cases) {
    for (const check of Object.values(audit({ ...fine, ...change })).flat()) {
      assert.match(check.id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
      assert.ok(check.title.length > 0 && check.title.length <= 60, check.title);
      assert.match(check.detail, /^\S.*\.$/);
    }
  }
});

test('audits hostile values in little processor time', () => {
  for (const value of [
    '"\\'.repeat(60_000),
    '('.repeat(120_000),
    '<'.repeat(120_000),
    ' '.repeat(120_000),
    'a@'.repeat(60_000),
  ]) {
    const start = process.cpuUsage();
    audit({ ...fine, headers: fine.headers.map(({ name }) => ({ name, value })) });
    const { user } = process.cpuUsage(start);
    assert.ok(user < 1_000_000, `${user} µs for ${value.slice(0, 4)}`);
  }
});
