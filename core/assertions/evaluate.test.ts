import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clause } from './clause.ts';
import { type AssertedMail, evaluate, fitsWildcard, PatternFault } from './evaluate.ts';

const mail: AssertedMail = {
  subject: 'Welcome, Ada',
  from: { name: 'Shop', address: 'shop@example.com' },
  text: 'Your code is 493817\n',
  html: null,
  codes: [
    { value: '493817', source: 'text' },
    { value: 'AB12', source: 'text' },
  ],
  links: [
    { url: 'https://app.test:8443/verify?t=1', text: 'Confirm', kind: 'verify' },
    { url: 'mailto:help@app.test', text: 'Help', kind: 'other' },
  ],
  headers: [
    { name: 'X-Run', value: '7' },
    { name: 'x-run', value: '8' },
  ],
  attachments: [
    { filename: 'Invoice-7.PDF', contentType: 'application/pdf', sizeBytes: 9, sha256: 'ab'.repeat(32) },
  ],
  authentication: {
    spf: { result: 'pass', domain: null, explanation: null },
    dkim: [],
    dmarc: { result: 'fail', domain: null, policy: null, alignedSpf: false, alignedDkim: false },
    arc: { result: 'none' },
    header: '',
  },
  audit: { critical: [], warning: [{ id: 'a', title: 'No text', detail: '' }], info: [], passed: [] },
  clients: { score: 62, lacking: [{ slug: 'css-flex', clients: ['gmail.ios', 'outlook.windows'] }] },
};

const find = (pattern: string, texts: string[]) => texts.some((text) => new RegExp(pattern, 'u').test(text));

const text = (
  on: 'subject' | 'from' | 'text' | 'html' | 'code',
  operator: 'equals' | 'contains' | 'matches',
  value: string,
): Clause => ({
  on,
  test: { operator, value },
});
const link = (given: object): Clause => ({ on: 'link', kind: null, host: null, test: null, ...given });
const attachment = (given: object): Clause => ({
  on: 'attachment',
  name: null,
  contentType: null,
  sha256: null,
  ...given,
});
const header = (name: string, value: string | null): Clause => ({
  on: 'header',
  header: name,
  test: value === null ? null : { operator: 'equals', value },
});
const clients = (given: object): Clause => ({
  on: 'clients',
  ...{ atLeast: null, of: null, except: [], comparedWith: null },
  ...given,
});
const results = (...given: [string, string][]) =>
  ({ on: 'authentication', results: given.map(([method, result]) => ({ method, result })) }) as Clause;

const cases: [Clause, name: string, passed: boolean, actual?: string | null][] = [
  [text('subject', 'contains', 'Welcome'), 'subject contains "Welcome"', true, 'Welcome, Ada'],
  [text('subject', 'contains', 'welcome'), 'subject contains "welcome"', false],
  [text('subject', 'equals', 'Welcome'), 'subject equals "Welcome"', false],
  [text('subject', 'matches', '^Welc'), 'subject matches /^Welc/', true],
  [
    text('from', 'equals', 'shop@example.com'),
    'from equals "shop@example.com"',
    true,
    'Shop <shop@example.com>',
  ],
  [text('from', 'contains', 'Shop <'), 'from contains "Shop <"', true],
  [text('text', 'contains', '493817'), 'text contains "493817"', true],
  [text('text', 'equals', 'Your code is 493817'), 'text equals "Your code is 493817"', true],
  [text('text', 'equals', 'Your code is'), 'text equals "Your code is"', false],
  [text('html', 'contains', 'a'), 'html contains "a"', false, null],
  [text('html', 'matches', '^$'), 'html matches /^$/', false, null],
  [text('code', 'equals', 'AB12'), 'code equals "AB12"', true, '493817, AB12'],
  [text('code', 'matches', '^\\d{4}$'), 'code matches /^\\d{4}$/', false],
  [link({}), 'link', true],
  [link({ kind: 'verify', host: 'App.test' }), 'link of kind verify to App.test', true],
  [link({ host: 'app.test:8443' }), 'link to app.test:8443', true],
  [
    link({ host: 'test' }),
    'link to test',
    false,
    'verify https://app.test:8443/verify?t=1, other mailto:help@app.test',
  ],
  [link({ kind: 'reset' }), 'link of kind reset', false],
  [
    link({ kind: 'other', test: { operator: 'contains', value: 'verify' } }),
    'link of kind other contains "verify"',
    false,
  ],
  [attachment({ name: '*.pdf' }), 'attachment *.pdf', true],
  [attachment({ name: '*.pdf', contentType: 'image/*' }), 'attachment *.pdf of type image/*', false],
  [attachment({ sha256: 'AB'.repeat(32) }), `attachment with SHA-256 ABABABABABAB…`, true],
  [header('X-RUN', '8'), 'header X-RUN equals "8"', true, '7, 8'],
  [header('X-Run', '9'), 'header X-Run equals "9"', false],
  [header('X-Other', null), 'header X-Other is present', false, null],
  [header('X-Run', null), 'header X-Run is present', true],
  [results(['spf', 'pass'], ['dkim', 'none']), 'spf is pass, dkim is none', true, 'spf pass, dkim none'],
  [results(['spf', 'pass'], ['dmarc', 'pass']), 'spf is pass, dmarc is pass', false, 'spf pass, dmarc fail'],
  [{ on: 'audit', worst: 'critical' }, 'no critical finding', true, 'no such findings'],
  [{ on: 'audit', worst: 'info' }, 'no finding of severity info or worse', false, 'warning: No text'],
  [
    clients({ atLeast: 62 }),
    'at least 62% of mail clients show everything',
    true,
    '62%: css-flex (gmail.ios, outlook.windows)',
  ],
  [clients({ atLeast: 62.5, of: ['gmail'] }), 'at least 62.5% of gmail show everything', false],
  [
    clients({ of: ['gmail', 'outlook'], except: ['html-target', 'css-gap'] }),
    'gmail and outlook show everything except html-target and css-gap',
    false,
    'css-flex (gmail.ios, outlook.windows)',
  ],
  [
    clients({ comparedWith: { messageId: 7 } }),
    'mail clients show everything, compared with message 7',
    false,
  ],
  [
    clients({ atLeast: 50, comparedWith: { raw: new Uint8Array() } }),
    'at least 50% of mail clients show everything, compared with another email',
    true,
  ],
];
for (const [clause, name, passed, actual] of cases) {
  test(`${passed ? 'holds' : 'does not hold'}: ${name}`, () => {
    const [result] = evaluate([clause], mail, find);
    assert.deepEqual([result?.name, result?.passed], [name, passed]);
    if (actual !== undefined) assert.equal(result?.actual, actual);
  });
}

test('a mail with no unsupported features passes a clause without a score', () => {
  const shown = { ...mail, clients: { score: 100, lacking: [] } };
  const [result] = evaluate([clients({ except: ['css-flex'] })], shown, find);
  assert.deepEqual(
    [result?.passed, result?.expected, result?.actual],
    [true, 'no unsupported features', 'no unsupported features'],
  );
});

test('a signature of several with the result is enough', () => {
  const signature = { domain: null, selector: null, aligned: true, info: null };
  const dkim = (['fail', 'pass'] as const).map((result) => ({ ...signature, result }));
  const signed = { ...mail, authentication: { ...mail.authentication, dkim } };
  assert.equal(evaluate([results(['dkim', 'pass'])], signed, find)[0]?.passed, true);
  assert.equal(evaluate([results(['dkim', 'none'])], signed, find)[0]?.passed, false);
});

test('a regular expression that cannot be evaluated fails its clause, which is named, and no other', () => {
  const late = () => {
    throw new PatternFault('took over 100 ms and was stopped');
  };
  const [first, second] = evaluate(
    [text('subject', 'matches', '(a+)+$'), text('subject', 'contains', 'Ada')],
    mail,
    late,
  );
  assert.deepEqual(first, {
    name: 'subject matches /(a+)+$/',
    passed: false,
    expected: '(a+)+$',
    actual:
      'The regular expression in the clause "subject matches /(a+)+$/" took over 100 ms and was stopped',
  });
  assert.equal(second?.passed, true);
});

test('long values are cut in results, between characters', () => {
  const long = { ...mail, subject: `${'x'.repeat(999)}😀${'y'.repeat(1000)}` };
  const [result] = evaluate([text('subject', 'contains', 'z'.repeat(2000))], long, find);
  assert.ok((result?.name.length ?? 0) < 130);
  assert.equal(result?.actual?.length, 1001);
  assert.ok(result?.actual?.isWellFormed());
});

const wildcards: [pattern: string, text: string, fits: boolean][] = [
  ['a.pdf', 'a.pdf', true],
  ['a.pdf', 'A.PDF', true],
  ['a.pdf', 'a.pdf2', false],
  ['*.pdf', 'a.pdf', true],
  ['*.pdf', '.pdf', true],
  ['*.pdf', 'pdf', false],
  ['a*', 'a', true],
  ['*', '', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['*ab*ab', 'ab', false],
  ['.', 'x', false],
  ['', '', true],
  ['a?c', 'abc', true],
  ['a?c', 'aüc', true],
  ['a?c', 'ac', false],
  ['*a?', 'aab😀', false],
  ['*?', '😀', true],
  ['?*', '', false],
  ['r[1].pdf', 'R[1].pdf', true],
  ['*a*b', 'aXbYab', true],
];
for (const [pattern, text, fits] of wildcards) {
  test(`"${pattern}" ${fits ? 'fits' : 'does not fit'} "${text}"`, () => {
    assert.equal(fitsWildcard(pattern, text), fits);
  });
}
