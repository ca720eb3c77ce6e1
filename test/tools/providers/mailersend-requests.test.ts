import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDirect } from './direct.ts';

const { post, call, arrived, count } = startDirect('mailersend');
const plain = {
  from: { email: 'shop@example.com', name: 'Shop' },
  to: [{ email: 'alice@gmail.com' }],
  subject: 'Hello',
  text: 'Hi',
};
const people = (count: number) => Array.from({ length: count }, (_, i) => ({ email: `a${i}@gmail.com` }));

/** Sends a request that must be refused as invalid, and returns the message and the errors by field. */
async function refused(change: object): Promise<{ message: string; errors: Record<string, string[]> }> {
  const stored = await count();
  const { status, json } = await post('/v1/email', { ...plain, ...change });
  assert.equal(status, 422, JSON.stringify(json));
  assert.deepEqual(Object.keys(json), ['message', 'errors']);
  assert.equal(await count(), stored);
  return json;
}

test('mailersend: the answer is empty and names the message in its header', async () => {
  const subject = 'Answer';
  const { status, headers, json } = await post('/v1/email', { ...plain, subject });
  assert.equal(status, 202);
  assert.equal(json, null);
  const [message] = await arrived(subject);
  assert.equal(`<${headers.get('x-message-id')}>`, message.msgid);
});

test('mailersend: names are optional, and a blank name is none', async () => {
  const subject = 'Forms of addresses';
  const body = {
    ...plain,
    subject,
    from: { email: 'shop@example.com' },
    to: [
      { email: 'alice@gmail.com', name: 'Last, "First"' },
      { email: 'bob@gmail.com', name: null },
    ],
    cc: [{ email: 'carol@gmail.com', name: '' }],
    bcc: [{ email: 'dave@gmail.com' }],
    reply_to: { email: 'help@example.com' },
  };
  assert.equal((await post('/v1/email', body)).status, 202);
  const [message, ...others] = await arrived(subject);
  assert.equal(others.length, 0);
  assert.deepEqual(message.to, [
    { name: 'Last, "First"', address: 'alice@gmail.com' },
    { name: '', address: 'bob@gmail.com' },
  ]);
  assert.deepEqual(message.cc, [{ name: '', address: 'carol@gmail.com' }]);
  assert.equal(message.envelope.rcpt_to.length, 4);
});

test('mailersend: data of its own makes one mail of each recipient', async () => {
  const tag = 'Order of';
  const body = {
    ...plain,
    to: [...people(1), { email: 'A1@gmail.com' }, { email: 'plain@gmail.com' }],
    cc: [{ email: 'copy@gmail.com' }],
    subject: `${tag} {{name}}`,
    text: 'Order {{ order.number }}, {{order}}, {{toString}}, {{ paid}}',
    html: '<b>{{name}}</b>',
    personalization: [
      { email: 'A0@gmail.com', data: { name: 'Ada', order: { number: 7 }, paid: false } },
      { email: 'a1@gmail.com', data: { name: 'Bob & {{paid}}', order: {} } },
      { email: 'unused@gmail.com', data: {} },
    ],
  };
  assert.equal((await post('/v1/email', body)).status, 202);
  const [first, second, third, ...others] = await arrived(tag);
  assert.equal(others.length, 0);
  assert.equal(first.subject, `${tag} Ada`);
  assert.equal(first.text.trimEnd(), 'Order 7, {{order}}, {{toString}}, false');
  assert.deepEqual(first.to, [{ name: '', address: 'a0@gmail.com' }]);
  assert.deepEqual(first.envelope.rcpt_to, ['a0@gmail.com', 'copy@gmail.com']);
  // Substituted values are not substituted again.
  assert.equal(second.html.trimEnd(), '<b>Bob & {{paid}}</b>');
  assert.equal(second.text.trimEnd(), 'Order {{ order.number }}, {{order}}, {{toString}}, {{ paid}}');
  assert.equal(third.subject, `${tag} {{name}}`);
});

test('mailersend: one recipient with data has one mail, with its copies', async () => {
  const subject = 'Personal';
  const personalization = [{ email: 'alice@gmail.com', data: { name: 'Ada' } }];
  const body = {
    ...plain,
    subject,
    text: 'Hi {{name}}',
    personalization,
    cc: people(1),
    bcc: [{ email: 'b@gmail.com' }],
  };
  assert.equal((await post('/v1/email', body)).status, 202);
  const messages = await arrived(subject);
  assert.equal(messages.length, 1);
  assert.equal(messages[0].text.trimEnd(), 'Hi Ada');
  assert.equal(messages[0].envelope.rcpt_to.length, 3);
});

test('mailersend: a template stands in for sender, subject and text', async () => {
  const body = { to: people(1), template_id: 'order-paid' };
  assert.equal((await post('/v1/email', body)).status, 202);
  const [message] = await arrived('order-paid');
  assert.equal(message.from.address, 'sender@template.invalid');
  assert.equal(message.text.replaceAll('\r\n', '\n').trimEnd(), 'order-paid\n\n{}');
});

test('mailersend: fields become header fields of the message', async () => {
  const subject = 'Header fields';
  const body = {
    ...plain,
    subject,
    in_reply_to: 'first@example.com',
    references: ['zero@example.com', '<first@example.com>'],
    list_unsubscribe: '<https://example.com/leave>',
    precedence_bulk: true,
    headers: [{ name: 'X-Order-Id', value: '7' }],
  };
  assert.equal((await post('/v1/email', body)).status, 202);
  const [message] = await arrived(subject);
  const fieldOf = (name: string) =>
    message.headers.find((field: { name: string }) => field.name.toLowerCase() === name)?.value;
  assert.equal(fieldOf('in-reply-to'), '<first@example.com>');
  assert.equal(fieldOf('references'), '<zero@example.com> <first@example.com>');
  assert.equal(fieldOf('list-unsubscribe'), '<https://example.com/leave>');
  assert.equal(fieldOf('precedence'), 'bulk');
  assert.equal(fieldOf('x-order-id'), '7');
});

test('mailersend: a Message-ID of the sender is named, and one that no header can have is refused', async () => {
  const sendAs = (value: string) => post('/v1/email', { ...plain, headers: [{ name: 'Message-ID', value }] });
  const answered = await sendAs('<own@example.com>');
  assert.equal(answered.headers.get('x-message-id'), 'own@example.com');
  for (const value of ['<日本@example.com>', '<a b@example.com>', '', `<${'i'.repeat(1000)}@example.com>`]) {
    assert.equal((await sendAs(value)).status, 422, value);
  }
});

test('mailersend: addresses of rcpt_to are a blind copy where there is no to', async () => {
  const subject = 'Without to';
  const body = { ...plain, subject, to: [], rcpt_to: people(2) };
  assert.equal((await post('/v1/email', body)).status, 202);
  const [message] = await arrived(subject);
  assert.deepEqual(message.to, []);
  assert.deepEqual(message.envelope.rcpt_to, ['a0@gmail.com', 'a1@gmail.com']);
});

test('mailersend: unknown fields, tags and times are ignored', async () => {
  const subject = 'Ignored fields';
  const ignored = {
    tags: ['welcome'],
    send_at: 1_900_000_000,
    settings: { track_opens: true },
    colour: [{}],
  };
  assert.equal((await post('/v1/email', { ...plain, ...ignored, subject })).status, 202);
  assert.equal((await arrived(subject)).length, 1);
});

test('mailersend: what is wrong is told by field', async () => {
  const file = { content: 'AAAA', filename: 'a.txt' };
  for (const [change, field, message] of [
    [{ from: undefined }, 'from.email', /is required/],
    [{ from: 'shop@example.com' }, 'from.email', /is required/],
    [{ to: undefined }, 'to', /is required/],
    [{ to: { email: 'a@gmail.com' } }, 'to', /must be an array/],
    [{ to: [{ email: 'nobody' }] }, 'to.0.email', /"nobody" is not a valid/],
    [{ to: [{ email: 'a@gmail.com, b@gmail.com' }] }, 'to.0.email', /is not a valid/],
    [{ subject: undefined }, 'subject', /is required/],
    [{ subject: 'a\r\nBcc: eve@gmail.com' }, 'subject', /line breaks/],
    [{ text: undefined }, 'text', /is required/],
    [{ headers: [{ name: 'X-A\r\nBcc', value: 'x' }] }, 'headers.X-A\r\nBcc', /not a valid header/],
    [{ headers: [{ name: 'X-A', value: 'x\r\nBcc: eve' }] }, 'headers.X-A', /line breaks/],
    [{ headers: [{ value: 'x' }] }, 'headers.0.name', /is required/],
    [{ in_reply_to: 'a@b>\r\nBcc: eve' }, 'headers.In-Reply-To', /line breaks/],
    [{ references: ['a\nb'] }, 'headers.References', /line breaks/],
    [{ attachments: [{ ...file, content: '%%%' }] }, 'attachments.0.content', /is not base64/],
    [{ attachments: [{ ...file, filename: '' }] }, 'attachments.0.filename', /is required/],
    [{ attachments: [{ ...file, disposition: 'x' }] }, 'attachments.0.disposition', /inline or attachment/],
    [{ personalization: [{ data: {} }] }, 'personalization.0.email', /is required/],
    [{ personalization: [{ email: 'a@b.c', data: [] }] }, 'personalization.0.data', /must be an object/],
    [{ to: people(51) }, 'to', /at most 50/],
    [{ to: people(1000) }, 'to', /at most 50/],
    [{ cc: people(11) }, 'cc', /at most 10/],
    [{ bcc: people(11) }, 'bcc', /at most 10/],
  ] as const) {
    const json = await refused(change);
    assert.deepEqual(Object.keys(json.errors), [field]);
    assert.match(json.errors[field]?.[0] ?? '', message);
    assert.equal(json.message, json.errors[field]?.[0]);
  }
  const full = { to: people(50), cc: people(10), bcc: people(10) };
  assert.equal((await post('/v1/email', { ...plain, ...full })).status, 202);
});

test('mailersend: values that would fill in too much are refused', async () => {
  const body = {
    ...plain,
    text: '{{a}}'.repeat(200_000),
    personalization: [{ email: 'alice@gmail.com', data: { a: 'x'.repeat(1_000_000) } }],
  };
  const { errors } = await refused(body);
  assert.match(errors.body?.[0] ?? '', /insert at most/);
});

test('mailersend: faults of a request have its statuses', async () => {
  const json = { 'content-type': 'application/json' };
  for (const [status, answer] of [
    [400, post('/v1/email', '{"from":')],
    [400, post('/v1/email', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })],
    [401, call('POST', '/v1/email', { body: '{}', headers: json })],
    [404, post('/v1/emails', plain)],
    [405, call('GET', '/v1/email')],
    [413, post('/v1/email', { ...plain, text: 'x'.repeat(33 * 1024 * 1024) })],
  ] as const) {
    const answered = await answer;
    assert.equal(answered.status, status, JSON.stringify(answered.json));
    assert.deepEqual(Object.keys(answered.json), ['message']);
    assert.notEqual(answered.json.message, '');
  }
});
