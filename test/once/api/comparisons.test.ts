import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();
// A random name would be masked as an ID, except the few that look like a word.
const user = await createUser(program, { domain: 'welcome.test', storage_limit: 1_000_000_000 });

const compare = (body: object) => user.api.post('/api/compare', body);
const raw = (text: string) => ({ raw: text.replaceAll('\n', '\r\n') });

/** Email from a template, as composed each time. */
const welcome = (run: number, name = 'Ada') => ({
  to: user.address,
  subject: `Welcome, ${name}`,
  text: `Your code is 49381${run}.`,
  html: `<p class="a" id="b">Your code is 49381${run}.</p>\n<a href="https://app.test/verify?t=${run}">Confirm</a>`,
  headers: {
    'X-Order': `6f9619ff-8b86-d011-b42d-00cf4fc964f${run}`,
    Date: `Wed, 25 Nov 2026 21:00:0${run} +0000`,
  },
});
const none = { ids: 0, dates: 0, codes: 0, queries: 0, patterns: 0 };
const masks = ['ids', 'dates', 'codes', 'queries'];

test('two mails of a template are equal but for the values that are masked', async () => {
  const [left, right] = [await deliverOne(program, welcome(1)), await deliverOne(program, welcome(2))];
  const sides = { left: { message_id: left }, right: { message_id: right } };
  assert.deepEqual(await ok(compare({ ...sides, mask: masks })), {
    equal: true,
    changes: [],
    unified: '',
    too_different: [],
    masked: { ...none, ids: 3, dates: 1, codes: 2, queries: 1 },
  });
  const plain = await ok(compare(sides));
  assert.deepEqual(plain.masked, none);
  const places = plain.changes.map(({ part, path }: { part: string; path: string }) => `${part} ${path}`);
  for (const place of ['header message-id', 'header content-type', 'header x-order', 'text line 1', 'html p'])
    assert.ok(places.includes(place), `${places}`);
  for (const mask of masks) {
    const others = masks.filter((one) => one !== mask);
    assert.equal((await ok(compare({ ...sides, mask: others }))).equal, false, mask);
  }
});

test('a golden file is compared with a message, and each change has its place', async () => {
  const golden = (await user.api.get(`/api/messages/${await deliverOne(program, welcome(1))}/raw`)).body;
  const id = await deliverOne(program, welcome(2, 'Bob'));
  const compared = await ok(
    compare({ left: { raw: golden.toString() }, right: { message_id: id }, mask: masks }),
  );
  assert.deepEqual(compared.changes, [
    { part: 'header', path: 'subject', before: 'subject: Welcome, Ada', after: 'subject: Welcome, Bob' },
  ]);
  assert.match(compared.unified, /^--- left\/header\n\+\+\+ right\/header\n@@ -\d+,\d+ \+\d+,\d+ @@\n/);
  assert.match(compared.unified, /\n-subject: Welcome, Ada\n\+subject: Welcome, Bob\n/);
  const encoded = { raw: golden.toString('base64'), encoding: 'base64' };
  assert.equal((await ok(compare({ left: encoded, right: { raw: golden.toString() } }))).equal, true);
});

test('what does not count: order of fields and attributes, white space of HTML, upper and lower case of names', async () => {
  const head = (type: string) => `MIME-Version: 1.0\nContent-Type: ${type}\n`;
  const left = raw(`Subject: a\nX-A: 1\n${head('text/html')}\n<P  b="1" a='2'>x\n y</P>\n`);
  const right = raw(`x-a: 1\n${head('text/html')}subject: a\n\n<p a="2" b=1> x y </p>`);
  assert.equal((await ok(compare({ left, right }))).equal, true);
  const other = raw(`x-a: 1\n${head('text/html')}subject: a\n\n<p a="3" b=1> x y </p>`);
  assert.deepEqual((await ok(compare({ left, right: other }))).changes, [
    { part: 'html', path: '', before: '<p a="2" b="1">', after: '<p a="3" b="1">' },
  ]);
});

test('a long name of an element is not repeated for each change', async () => {
  const rules = '<hr>\n'.repeat(200);
  const numbered = Array.from({ length: 200 }, (_, at) => `<hr>\n<br id="${at}">\n`).join('');
  const left = raw(`Content-Type: text/html\n\n<${'x'.repeat(500_000)}>\n${numbered}`);
  const right = raw(`Content-Type: text/html\n\n${rules}`);
  let changes: { path: string }[] = [];
  // On a busy machine a comparison may reach its time limit.
  await until(async () => {
    const compared = await ok(compare({ left, right }));
    ({ changes } = compared);
    return compared.too_different.length === 0;
  });
  assert.equal(changes.length, 200);
  for (const { path } of changes) assert.ok(path.length < 200, `${path.length}`);
});

/** Golden emails against later ones from the same template: what a month, a language or a library changes, and what a person changed. */
const goldens: [name: string, left: string, right: string, equal: boolean][] = [
  ['German dates', 'Gültig bis 30. November 2026', 'Gültig bis 1. Dezember 2026', true],
  ['French dates', 'le 26 février 2026', 'le 1er mars 2026', true],
  ['Japanese dates', '2026年11月26日まで', '2026年12月1日まで', true],
  ['English dates without a year', 'Ends on November 26th', 'Ends on December 1st', true],
  ['a code in groups', 'Your code is 123 456.', 'Your code is 789 012.', true],
  [
    'a short JWT',
    '/v/eyJhbGciOiJIUzI1NiJ9.eyJpZCI6MX0.a1B2c3',
    '/v/eyJhbGciOiJIUzI1NiJ9.eyJpZCI6Mn0.d4E5f6',
    true,
  ],
  [
    'a link of Django',
    'https://a.test/reset/MTIz/cdz1xq-8f14e45fceea167a5a36dedd4bea2543/',
    'https://a.test/reset/NDU2/ce01ab-5d41402abc4b2a76b9719d911017c592/',
    true,
  ],
  [
    'a Content-ID of Python',
    'cid:1764151234.12.3456@8f3b2c1d9e0f',
    'cid:1764151299.13.9876@1c9e0f8f3b2d',
    true,
  ],
  [
    'a Content-ID of Outlook',
    'cid:image001.png@01DC5E3A.7B2F8C10',
    'cid:image001.png@01DC5F00.0A1B2C3D',
    true,
  ],
  ['a picture of Outlook', 'cid:image001.png@01DC5E3A.7B2F8C10', 'cid:image002.png@01DC5F00.0A1B2C3D', false],
  ['a name of an image', 'header-summer-sale-2026-v1.png', 'header-winter-sale-2026-v2.png', false],
  [
    'a path',
    '/blog/how-to-write-tests-in-2026-and-beyond',
    '/blog/how-to-write-mails-in-2026-and-beyond',
    false,
  ],
  ['an IBAN', 'DE89370400440532013000', 'DE02120300000000202051', false],
  ['a number of a customer', '12345678901234567890', '12345678901234567891', false],
  ['an impossible date', '99.99.2026', '98.98.2026', false],
];
for (const [name, left, right, equal] of goldens) {
  test(`a golden mail is ${equal ? 'equal' : 'different'} with ${name}`, async () => {
    const sides = [left, right].map((text) =>
      raw(`Subject: a\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`),
    );
    const compared = await ok(compare({ left: sides[0], right: sides[1], mask: masks }));
    assert.equal(compared.equal, equal, compared.unified);
  });
}

test('expressions of the user are not compared, and are counted', async () => {
  const [left, right] = [
    raw('Subject: Order 4711 of Ada\nX-Run: 1\n\nOrder 4711: 3 items for Ada\n'),
    raw('Subject: Order 9 of Ada\nX-Run: 1\n\nOrder 9: 3 items for Ada\n'),
  ];
  const compared = await ok(compare({ left, right, mask_patterns: ['^Order \\d+', 'x*'] }));
  assert.deepEqual([compared.equal, compared.masked], [true, { ...none, patterns: 2 }]);
  const other = await ok(compare({ left, right, mask_patterns: ['items'] }));
  assert.deepEqual([other.equal, other.masked.patterns], [false, 1]);
});

test('an expression that takes too long is refused', async () => {
  const mail = raw(`Subject: a\n\n${'a'.repeat(40)}\n`);
  const { status, json } = await compare({ left: mail, right: mail, mask_patterns: ['b', '(a+)+b'] });
  assert.deepEqual([status, json.violations[0].field], [422, 'mask_patterns.1']);
  assert.match(json.violations[0].message, /took more than 100 ms/);
});

test('attachments and MIME types count', async () => {
  const mail = (content: string) => ({ to: user.address, attachments: [{ filename: 'a.txt', content }] });
  const [left, right] = [await deliverOne(program, mail('one')), await deliverOne(program, mail('two'))];
  const { changes } = await ok(
    compare({ left: { message_id: left }, right: { message_id: right }, mask: ['ids', 'dates'] }),
  );
  assert.deepEqual(
    changes.map(({ part, path }: { part: string; path: string }) => [part, path]),
    [['attachments', 'a.txt']],
  );
});

test('texts that are all different are told in time', async () => {
  const mail = (word: string) =>
    raw(`Subject: a\n\n${Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join('\n')}\n`);
  const {
    equal,
    changes,
    too_different: parts,
    unified,
  } = await ok(compare({ left: mail('a'), right: mail('b') }));
  assert.deepEqual([equal, parts], [false, ['text']]);
  assert.deepEqual(changes, [{ part: 'text', path: '', before: '20001 lines', after: '20001 lines' }]);
  assert.match(unified, /too different/);
});

test('any bytes are a mail', async () => {
  for (const text of ['', '\0', '\r\n\r\n', 'x'.repeat(500_000), '<'.repeat(500_000)]) {
    const { equal } = await ok(compare({ left: { raw: text }, right: { raw: text } }));
    assert.equal(equal, true);
  }
});

test('large mails are refused, and told why', async () => {
  const sized = (size: number) => compare({ left: { raw: 'x'.repeat(size) }, right: { raw: '' } });
  assert.equal((await sized(2_000_000)).status, 413);
  // The server closes the connection of a client that keeps sending.
  const status = await sized(25 * 1024 * 1024).then(
    (answer) => answer.status,
    () => 413,
  );
  assert.equal(status, 413);
  const id = await deliverOne(program, {
    to: user.address,
    attachments: [{ filename: 'a', content: Buffer.alloc(7_000_000) }],
  });
  const attached = await compare({ left: { message_id: id }, right: { raw: '' } });
  assert.deepEqual([attached.status, attached.json.violations[0].field], [422, 'left']);
  assert.match(attached.json.violations[0].message, /the limit for comparisons is 8388608 bytes/);
  const long = await deliverOne(program, { to: user.address, text: `${'a'.repeat(70)}\n`.repeat(20_000) });
  const text = await compare({ left: { raw: '' }, right: { message_id: long } });
  assert.deepEqual([text.status, text.json.violations[0].field], [422, 'right']);
});

const side = { raw: '' };
const invalid: [body: object, field: string][] = [
  [{ left: side }, 'right'],
  [{ left: {}, right: side }, 'left'],
  [{ left: { raw: '', message_id: 7 }, right: side }, 'left'],
  [{ left: { rwa: '' }, right: side }, 'left.rwa'],
  [{ left: { raw: '%', encoding: 'base64' }, right: side }, 'left'],
  [{ left: { raw: 'Y', encoding: 'base64' }, right: side }, 'left'],
  [{ left: { raw: 'YWJj\nY===', encoding: 'base64' }, right: side }, 'left'],
  [{ left: { message_id: 999_999_999 }, right: side }, 'left'],
  [{ left: side, right: side, masks: ['ids'] }, 'masks'],
  [{ left: side, right: side, mask: ['numbers'] }, 'mask.0'],
  [{ left: side, right: side, mask: ['ids', 'ids'] }, 'mask.1'],
  [{ left: side, right: side, mask_patterns: ['a', '('] }, 'mask_patterns.1'],
  [{ left: side, right: side, mask_patterns: [''] }, 'mask_patterns.0'],
  [{ left: side, right: side, mask_patterns: ['a'.repeat(1001)] }, 'mask_patterns.0'],
  [{ left: side, right: side, mask_patterns: Array.from({ length: 21 }, () => 'a') }, 'mask_patterns'],
  [{ left: side, right: side, mask_patterns: 'a' }, 'mask_patterns'],
];
test('base64 of many blanks is refused in linear time', async () => {
  const raw = `${' '.repeat(900_000)}%`;
  assert.equal((await compare({ left: { raw, encoding: 'base64' }, right: side })).status, 422);
});

for (const [body, field] of invalid) {
  test(`refused for ${field}: ${JSON.stringify(body)}`, async () => {
    const { status, json } = await compare(body);
    assert.equal(status, 422);
    assert.ok(
      json.violations.some((violation: { field: string }) => violation.field === field),
      JSON.stringify(json),
    );
  });
}
