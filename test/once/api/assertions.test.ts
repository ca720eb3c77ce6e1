import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne, type TestMail } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { keyOf } from '#test/support/program/team.ts';
import { createUser } from '#test/support/program/user.ts';

const { program, user } = await scene();

let runs = 0;
/** Returns one of the user's addresses that no other test writes to. */
const fresh = () => {
  runs += 1;
  return user.address.replace('@', `+run${runs}@`);
};
const send = (mail: TestMail) => deliverOne(program, mail);
const assertMail = (body: object, query = '') => user.api.post(`/api/assert${query}`, body);

const pdf = { filename: 'Invoice.pdf', content: 'x', contentType: 'application/pdf' };

test('all clauses hold of a mail', async () => {
  const to = fresh();
  const id = await send({
    ...{ to, from: 'Shop <shop@example.com>', subject: 'Welcome, Ada', text: 'Your code is 493817.' },
    html: '<p>Your code is 493817. <a href="https://app.test/verify?t=1">Confirm your address</a></p>',
    attachments: [pdf],
    headers: { 'X-Run': '7' },
  });
  const expect = [
    { subject: { contains: 'Welcome' } },
    { from: { matches: '@example\\.com>?$' } },
    { text: { contains: '493817' } },
    { html: { matches: '<a href="https://app\\.test/' } },
    { code: { matches: '^\\d{6}$' } },
    { link: { kind: 'verify', host: 'app.test' } },
    { attachment: { name: '*.pdf', content_type: 'application/pdf' } },
    { header: { name: 'x-run', equals: '7' } },
    { authentication: { dkim: 'none' } },
    { clients: { at_least: 1, of: ['gmail'] } },
  ];
  const { status, json } = await assertMail({ find: { address: to }, expect });
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual([json.passed, json.message_id, json.near_misses], [true, id, []]);
  assert.equal(json.clauses.length, expect.length);
  assert.deepEqual(json.clauses[0], {
    name: 'subject contains "Welcome"',
    passed: true,
    expected: 'Welcome',
    actual: 'Welcome, Ada',
  });
});

test('a clause that does not hold fails the assertion with 417 and the same body', async () => {
  const to = fresh();
  const id = await send({ to, subject: 'Hello' });
  const expect = [
    { subject: { equals: 'Hello' } },
    { code: { matches: '\\d' } },
    { audit: { none: 'info' } },
  ];
  const { status, json, headers } = await assertMail({ find: { address: to }, expect });
  assert.equal(status, 417);
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  assert.deepEqual([json.passed, json.message_id], [false, id]);
  assert.deepEqual(
    json.clauses.map(({ passed }: { passed: boolean }) => passed),
    [true, false, false],
  );
  assert.equal(json.clauses[1].actual, null);
});

test('a wait ends with the mail, and a search finds it', async () => {
  const to = fresh();
  const asked = assertMail({ find: { address: to, q: 'subject:second', wait: 30 }, expect: [] });
  await send({ to, subject: 'first' });
  const id = await send({ to, subject: 'second' });
  const { status, json } = await asked;
  assert.deepEqual([status, json.message_id], [200, id]);
  assert.deepEqual(json.clauses, [
    { name: 'a message', passed: true, expected: `a message to ${to} that matches subject`, actual: '1' },
  ]);
  const later = await assertMail({ find: { address: to, after: id }, expect: [] });
  assert.equal(later.status, 417);
});

test('without a mail in time, the only clause says so, with those that came nearly', async () => {
  const to = fresh();
  const id = await send({ to, subject: 'Welcome' });
  const find = { address: to, q: 'subject:receipt', wait: 1 };
  const { status, json } = await assertMail({ find, expect: [{ subject: { equals: 'x' } }] });
  assert.equal(status, 417);
  assert.deepEqual([json.passed, json.message_id], [false, null]);
  assert.deepEqual(json.clauses, [
    { name: 'a message', passed: false, expected: `a message to ${to} that matches subject`, actual: 'none' },
  ]);
  assert.deepEqual(json.near_misses[0], { id, to, subject: 'Welcome', failed: ['subject'] });
});

test('each clause holds for each of several messages', async () => {
  const to = fresh();
  const first = await send({ to, subject: 'Order 1' });
  const find = { address: to, count: 2 };
  const few = await assertMail({ find, expect: [] });
  assert.deepEqual([few.status, few.json.clauses[0].actual], [417, '1']);
  await send({ to, subject: 'Order 2' });
  const both = await assertMail({ find, expect: [{ subject: { contains: 'Order' } }] });
  assert.equal(both.status, 200);
  const one = await assertMail({ find, expect: [{ subject: { equals: 'Order 2' } }] });
  assert.deepEqual([one.status, one.json.clauses[0].actual], [417, `Order 1 (message ${first})`]);
});

test('a deleted mail is not found, whether before or during the evaluation', async () => {
  const to = fresh();
  const id = await send({ to, subject: 'Hello' });
  const expect = [{ subject: { equals: 'Hello' } }, { text: { contains: 'Hello' } }];
  const ask = () => assertMail({ find: { address: to }, expect });
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, ask),
    user.api.delete(`/api/messages/${id}`),
    ...Array.from({ length: 10 }, ask),
  ]);
  for (const { status, json } of answers) {
    if ('deleted' in json) continue;
    // Either all of the email is visible, or none of it.
    assert.deepEqual(
      [status, json.clauses.length, json.message_id],
      status === 200 ? [200, 2, id] : [417, 1, null],
    );
  }
  assert.equal((await ask()).status, 417);
});

test('JUnit has a test case for each clause, whatever a mail says', async () => {
  const to = fresh();
  await send({ to, subject: '\u0007<b>&"\u001b[31m' });
  const expect = [{ subject: { equals: '</failure>' } }, { from: { contains: 'shop@' } }];
  const { status, headers, body } = await assertMail(
    { name: 'a & b', find: { address: to }, expect },
    '?format=junit',
  );
  const report = body.toString();
  assert.equal(status, 417);
  assert.match(headers['content-type'] ?? '', /^application\/xml/);
  assert.match(report, /<testsuite name="a &amp; b" tests="2" failures="1" errors="0"/);
  assert.match(report, /<testcase name="subject equals &quot;&lt;\/failure&gt;&quot;"/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  assert.doesNotMatch(report, /[\0-\x08\x0b\x0c\x0e-\x1f]/);
  const passed = await assertMail({ find: { address: to }, expect: expect.slice(1) }, '?format=junit');
  assert.equal(passed.status, 200);
});

test('a regular expression that takes too long fails its clause alone', async () => {
  const to = fresh();
  await send({ to, subject: `${'a'.repeat(60)}!` });
  const expect = [{ subject: { matches: '^(a+)+$' } }, { subject: { matches: '!$' } }];
  const { status, json } = await assertMail({ find: { address: to }, expect });
  assert.equal(status, 417);
  assert.match(
    json.clauses[0].actual,
    /clause "subject matches \/\^\(a\+\)\+\$\/" took more than 100 ms and was stopped/,
  );
  assert.equal(json.clauses[1].passed, true);
  const many = await assertMail({
    find: { address: to },
    expect: Array(100).fill({ subject: { matches: '^(a+)+$' } }),
  });
  assert.equal(many.status, 417);
  assert.match(
    many.json.clauses[99].actual,
    /was not evaluated, because earlier expressions took more than 1000 ms/,
  );
});

const one = { subject: { equals: 'x' } };
const invalid: [name: string, body: object, field: string, message: RegExp][] = [
  ['no find', { expect: [] }, 'find', /is required/],
  ['no expect', { find: {} }, 'expect', /is required/],
  [
    'an unknown clause',
    { find: {}, expect: [one, { sbject: { equals: 'x' } }] },
    'expect.1.sbject',
    /sbject is not a known clause: use one of subject, from, .* and clients/,
  ],
  ['an empty clause', { find: {}, expect: [{}] }, 'expect.0', /must have one of subject/],
  [
    'two clauses in one',
    { find: {}, expect: [{ ...one, text: { equals: 'x' } }] },
    'expect.0',
    /must have only one of/,
  ],
  [
    'two operators',
    { find: {}, expect: [{ subject: { equals: 'x', contains: 'x' } }] },
    'expect.0.subject',
    /must have only one of equals, contains and matches/,
  ],
  [
    'two operators of a link',
    { find: {}, expect: [{ link: { equals: 'x', contains: 'x' } }] },
    'expect.0.link',
    /must have only one of equals/,
  ],
  [
    'an unknown operator',
    { find: {}, expect: [{ subject: { like: 'x' } }] },
    'expect.0.subject.like',
    /like is not a known operator/,
  ],
  ['no operator', { find: {}, expect: [{ code: {} }] }, 'expect.0.code', /must have one of equals/],
  [
    'a wrong regular expression',
    { find: {}, expect: [{ subject: { matches: '(' } }] },
    'expect.0.subject.matches',
    /must be a JavaScript regular expression.*Unterminated group/,
  ],
  [
    'a wrong regular expression behind others',
    { find: {}, expect: [one, { header: { name: 'X', matches: '(?<a' } }] },
    'expect.1.header.matches',
    /must be a JavaScript regular expression/,
  ],
  [
    'a long regular expression',
    { find: {}, expect: [{ subject: { matches: 'a'.repeat(1001) } }] },
    'expect.0.subject.matches',
    /1 to 1000/,
  ],
  ['10,000 clauses', { find: {}, expect: Array(2000).fill(one) }, 'expect', /at most 100 items/],
  [
    'two clauses on clients',
    { find: {}, expect: Array(2).fill({ clients: { at_least: 1 } }) },
    'expect',
    /one clause on clients/,
  ],
  [
    'unknown clients',
    { find: {}, expect: [{ clients: { at_least: 1, of: ['gmial'] } }] },
    'clients',
    /"gmial" is unknown/,
  ],
  ['an unknown condition', { find: { adress: 'x' }, expect: [] }, 'find.adress', /use address, q/],
  ['an unknown field', { find: {}, expect: [], expct: [one] }, 'expct', /expect/],
  ['a long wait', { find: { wait: 121 }, expect: [] }, 'find.wait', /120/],
  ['a large count', { find: { count: 11 }, expect: [] }, 'find.count', /at most 10/],
  [
    'an id of no message',
    { find: { after: 999_999_999 }, expect: [] },
    'after',
    /is not the id of one of your current or deleted messages/,
  ],
  [
    'a result that there is not',
    { find: {}, expect: [{ authentication: { dmarc: 'ok' } }] },
    'expect.0.authentication.dmarc',
    /must be one of/,
  ],
  ['a wrong name', { name: 'a\nb', find: {}, expect: [] }, 'name', /control/],
];
for (const [name, body, field, message] of invalid) {
  test(`refused, with the field named: ${name}`, async () => {
    const { status, json } = await assertMail(body);
    assert.equal(status, 422, JSON.stringify(json));
    const found = json.violations.find((violation: { field: string }) => violation.field === field);
    assert.ok(found, JSON.stringify(json.violations));
    assert.match(found.message, message);
  });
}

test('nobody asserts or compares mail of another team', async () => {
  const to = fresh();
  const id = await send({ to, subject: 'Hello' });
  const body = { find: { address: to }, expect: [] };
  const compared = { left: { message_id: id }, right: { message_id: id } };
  const other = await createUser(program);
  assert.equal((await other.api.post('/api/assert', body)).status, 417);
  const refused = await other.api.post('/api/compare', compared);
  assert.deepEqual([refused.status, refused.json.violations[0].field], [422, 'left']);
});

test('a wait ends with its key, and takes no place of changes', async () => {
  const { api, id } = await keyOf(program, user.api, { scope: 'read' });
  const find = { address: fresh(), wait: 60 };
  const waiting = Array.from({ length: 20 }, () => api.post('/api/assert', { find, expect: [] }));
  assert.equal(
    (await user.api.patch(`/api/messages/${await send({ to: fresh() })}`, { is_read: true })).status,
    200,
  );
  assert.equal((await user.api.delete(`/api/tokens/${id}`)).status, 204);
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 401);
});
