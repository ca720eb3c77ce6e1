import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDirect } from './direct.ts';

const { post, call, arrived, count } = startDirect('resend');
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const plain = { from: 'Shop <shop@example.com>', to: 'alice@gmail.com', subject: 'Hello', text: 'Hi' };

/** Sends a request that must be refused as invalid, and returns the error's name and message. */
async function refused(body: unknown, path = '/emails', headers = {}): Promise<[string, string]> {
  const stored = await count();
  const { status, json } = await post(path, body, headers);
  assert.equal(status, 422, JSON.stringify(json));
  assert.deepEqual(Object.keys(json), ['statusCode', 'message', 'name']);
  assert.equal(json.statusCode, 422);
  assert.equal(await count(), stored);
  return [json.name, json.message];
}

test('resend: answers have the fields of its reference', async () => {
  const single = await post('/emails', plain);
  assert.equal(single.status, 200);
  assert.deepEqual(Object.keys(single.json), ['id']);
  assert.match(single.json.id, uuid);
  const batch = await post('/emails/batch', [plain, plain]);
  assert.equal(batch.status, 200);
  assert.deepEqual(Object.keys(batch.json), ['data']);
  const ids = batch.json.data.map(({ id }: { id: string }) => id);
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.match(id, uuid);
});

test('resend: addresses are texts or lists, bare or with a name', async () => {
  const subject = 'Forms of addresses';
  const body = {
    ...plain,
    subject,
    from: 'shop@example.com',
    to: ['alice@gmail.com', 'Bob Builder <bob@gmail.com>', '"Last, First" <carol@gmail.com>'],
    cc: 'Dave <dave@gmail.com>',
    bcc: ['erin@gmail.com'],
    reply_to: ['help@example.com', 'Sales <sales@example.com>'],
  };
  assert.equal((await post('/emails', body)).status, 200);
  const [message] = await arrived(subject);
  assert.deepEqual(message.from, { name: '', address: 'shop@example.com' });
  assert.deepEqual(message.to, [
    { name: '', address: 'alice@gmail.com' },
    { name: 'Bob Builder', address: 'bob@gmail.com' },
    { name: 'Last, First', address: 'carol@gmail.com' },
  ]);
  assert.deepEqual(message.cc, [{ name: 'Dave', address: 'dave@gmail.com' }]);
  assert.equal(message.envelope.rcpt_to.length, 5);
  assert.deepEqual(
    message.reply_to.map(({ address }: { address: string }) => address),
    ['help@example.com', 'sales@example.com'],
  );
});

test('resend: what is wrong is told by its names of errors', async () => {
  for (const [change, name, message] of [
    [{ from: undefined }, 'missing_required_field', 'Missing `from` field.'],
    [{ to: undefined }, 'missing_required_field', 'Missing `to` field.'],
    [{ to: [] }, 'missing_required_field', 'Missing `to` field.'],
    [{ subject: '' }, 'missing_required_field', 'Missing `subject` field.'],
    [{ text: undefined }, 'missing_required_field', 'Missing `html` field.'],
    [{ to: 'a@gmail.com, b@gmail.com' }, 'validation_error', /^Invalid `to` field: /],
    [
      { to: ['a@gmail.com', 'nobody'] },
      'validation_error',
      /^Invalid `to\.1` field: "nobody" is not a valid/,
    ],
    [{ cc: { email: 'a@gmail.com' } }, 'validation_error', /^Invalid `cc` field: /],
    [{ subject: 'a\r\nBcc: eve@gmail.com' }, 'validation_error', /^Invalid `subject` field: /],
    [{ headers: { 'X-A\r\nBcc': 'x' } }, 'validation_error', /is not a valid header field name/],
    [{ headers: { 'X-A': 'x\r\nBcc: eve@gmail.com' } }, 'validation_error', /line breaks/],
    [{ headers: { Bcc: 'eve@gmail.com' } }, 'validation_error', /request's other fields/],
    [{ headers: { 'X-A': 5 } }, 'validation_error', /must be a string/],
    [{ attachments: [{ filename: 'a' }] }, 'invalid_attachment', /Missing `attachments\.0\.content`/],
    [{ attachments: [{ content: '%%%' }] }, 'invalid_attachment', /is not base64/],
    [{ attachments: [{ content: [1, 256] }] }, 'invalid_attachment', /list of bytes/],
    [
      { attachments: [{ path: 'https://example.com/a.pdf' }] },
      'invalid_attachment',
      /Sandpost does not fetch anything/,
    ],
    [{ template: { id: 'welcome' } }, 'validation_error', /^Invalid `text` field: cannot be combined/],
    [{ template: {}, text: undefined }, 'missing_required_field', 'Missing `template.id` field.'],
  ] as const) {
    const [gotName, gotMessage] = await refused({ ...plain, ...change });
    assert.equal(gotName, name, gotMessage);
    if (typeof message === 'string') assert.equal(gotMessage, message);
    else assert.match(gotMessage, message);
  }
});

test('resend: 50 addresses are taken and more are not', async () => {
  const to = Array.from({ length: 1000 }, (_, index) => `a${index}@gmail.com`);
  assert.equal((await post('/emails', { ...plain, to: to.slice(0, 50) })).status, 200);
  assert.match((await refused({ ...plain, to: to.slice(0, 51) }))[1], /at most 50/);
  assert.match((await refused({ ...plain, to }))[1], /at most 50/);
  assert.equal((await refused({ ...plain, cc: [...to, 'b@gmail.com'] }))[0], 'validation_error');
});

test('resend: unknown fields, tags and a time are ignored', async () => {
  const subject = 'Ignored fields';
  const tags = [{ name: 'category', value: 'welcome' }];
  const body = { ...plain, subject, tags, scheduled_at: 'in 1 hour', topic_id: 'x', colour: { is: ['red'] } };
  assert.equal((await post('/emails', body)).status, 200);
  assert.equal((await arrived(subject)).length, 1);
});

test('resend: an attachment is base64, a list of bytes or a Buffer as JSON', async () => {
  const subject = 'Forms of attachments';
  const bytes = Buffer.from('Grüße');
  const attachments = [
    { filename: 'a.txt', content: bytes.toString('base64') },
    { filename: 'b.txt', content: [...bytes] },
    { filename: 'c.txt', content: bytes.toJSON() },
    { filename: 'd.png', content: 'AAAA', inline_content_id: 'logo' },
  ];
  assert.equal((await post('/emails', { ...plain, subject, attachments })).status, 200);
  const [message] = await arrived(subject);
  assert.deepEqual(
    message.attachments.map(({ filename, size_bytes }: { filename: string; size_bytes: number }) => [
      filename,
      size_bytes,
    ]),
    [
      ['a.txt', bytes.length],
      ['b.txt', bytes.length],
      ['c.txt', bytes.length],
      ['d.png', 3],
    ],
  );
  assert.equal(message.attachments[0].content_type, 'text/plain');
  assert.equal(message.attachments[3].disposition, 'inline');
});

test('resend: a template stands in for sender and subject that it has itself', async () => {
  const { status } = await post('/emails', { to: 'alice@gmail.com', template: { id: 'order-paid' } });
  assert.equal(status, 200);
  const [message] = await arrived('order-paid');
  assert.equal(message.from.address, 'sender@template.invalid');
  assert.equal(message.text.replaceAll('\r\n', '\n').trimEnd(), 'order-paid\n\n{}');
});

test('resend: one bad mail refuses a batch, unless it asks for permissive validation', async () => {
  const subject = 'Batch with a bad mail';
  const mails = [
    { ...plain, subject },
    { ...plain, subject, to: 'nobody' },
    { ...plain, subject: 'a\nb' },
    { ...plain, subject, to: 'bob@gmail.com' },
  ];
  const [name, message] = await refused(mails, '/emails/batch', { 'x-batch-validation': 'strict' });
  assert.equal(name, 'validation_error');
  assert.match(message, /^Invalid `1\.to` field: "nobody"/);
  assert.equal((await refused(mails, '/emails/batch'))[0], 'validation_error');
  const permissive = { 'x-batch-validation': 'permissive' };
  const { status, json } = await post('/emails/batch', mails, permissive);
  assert.equal(status, 200);
  assert.equal(json.data.length, 2);
  const indexes = json.errors.map(({ index }: { index: number }) => index);
  assert.deepEqual(indexes, [1, 2]);
  assert.match(json.errors[0].message, /nobody/);
  assert.equal((await arrived(subject)).length, 2);
});

test('resend: a batch has 1 to 100 mails without attachments', async () => {
  const attachments = [{ filename: 'a', content: 'AAAA' }];
  for (const body of [[], Array(101).fill(plain), plain, [{ ...plain, attachments }]]) {
    await refused(body, '/emails/batch');
  }
  const { json } = await post('/emails/batch', Array(100).fill(plain));
  assert.equal(json.data.length, 100);
});

test('resend: faults of a request have its statuses and names', async () => {
  const json = { 'content-type': 'application/json' };
  for (const [status, name, answer] of [
    [400, 'validation_error', post('/emails', '{"from":')],
    [
      400,
      'validation_error',
      post('/emails', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    [401, 'missing_api_key', call('POST', '/emails', { body: '{}', headers: json })],
    [404, 'not_found', post('/email', plain)],
    [405, 'method_not_allowed', call('GET', '/emails')],
    [413, 'validation_error', post('/emails', { ...plain, text: 'x'.repeat(33 * 1024 * 1024) })],
    [422, 'missing_required_field', post('/emails', [])],
  ] as const) {
    const answered = await answer;
    assert.equal(answered.status, status, JSON.stringify(answered.json));
    assert.deepEqual(Object.keys(answered.json), ['statusCode', 'message', 'name']);
    assert.equal(answered.json.statusCode, status);
    assert.equal(answered.json.name, name);
    assert.notEqual(answered.json.message, '');
  }
});
