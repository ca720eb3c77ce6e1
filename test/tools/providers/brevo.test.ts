import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { nodeClient, withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { startDirect } from './direct.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

const person = ({ name, address }: Mail['from']) => ({ email: address, ...(name && { name }) });

/** Message in the fields of Brevo's own API. */
function bodyOf(mail: Mail) {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
  return {
    sender: person(from),
    to: to.map(person),
    ...(cc.length > 0 && { cc: cc.map(person) }),
    ...(bcc.length > 0 && { bcc: bcc.map(person) }),
    ...(replyTo && { replyTo: person(replyTo) }),
    subject,
    ...(text === null ? {} : { textContent: text }),
    ...(html === null ? {} : { htmlContent: html }),
    headers,
    attachment: attachments.map(({ filename, content }) => ({ name: filename, content })),
  };
}

type Brevo = {
  transactionalEmails: {
    sendTransacEmail(request: object): Promise<{ messageId?: string; messageIds?: string[] }>;
  };
};

function open({ url, key }: Access): Brevo['transactionalEmails'] {
  type Options = { apiKey: string; baseUrl: string; maxRetries: number };
  const { BrevoClient } = nodeClient<{ BrevoClient: new (options: Options) => Brevo }>('@getbrevo/brevo');
  return new BrevoClient({ apiKey: key, baseUrl: `${url}/v3`, maxRetries: 0 }).transactionalEmails;
}

const byNode: Client = {
  name: 'brevo by @getbrevo/brevo',
  provider: 'brevo',
  skip: withoutNodeClients,
  async send(access, mail) {
    return (await open(access).sendTransacEmail(bodyOf(mail))).messageId ?? null;
  },
  sendBatch(access, mails) {
    const [first] = mails;
    const messageVersions = mails.map(({ to, subject, text }) => ({
      to: to.map(person),
      subject,
      textContent: text,
    }));
    return open(access).sendTransacEmail({ ...bodyOf(first), to: undefined, messageVersions });
  },
  sendTemplate: (access, { from, to }, templateId, params) =>
    open(access).sendTransacEmail({ sender: person(from), to: to.map(person), templateId, params }),
  failure(error) {
    const { statusCode, body } = error as { statusCode: number; body: { message: string } };
    return { status: statusCode, message: body.message };
  },
  statuses: { wrongKey: 401, invalid: 400 },
  // Brevo's reference has no place for a Content-ID.
  lacks: ['inline images'],
};

providerSuite(byNode);

const direct = startDirect('brevo');
const path = '/v3/smtp/email';
const plain = {
  sender: { email: 'shop@example.com', name: 'Shop' },
  to: [{ email: 'alice@gmail.com' }],
  subject: 'Hello',
  textContent: 'Hi',
};

const people = (count: number, prefix = 'a') =>
  Array.from({ length: count }, (_, index) => ({ email: `${prefix}${index}@gmail.com` }));
const post = (body: unknown, headers = {}, at = path) =>
  direct.post(at, body, { 'api-key': direct.access().key, ...headers });
const textOf = ({ text }: Json) => text.replaceAll('\r\n', '\n').trimEnd();

/** Sends a request that must be refused, and returns the error's code and message. */
async function refused(change: object): Promise<[string, string]> {
  const stored = await direct.count();
  const { status, json } = await post({ ...plain, ...change });
  assert.equal(status, 400, JSON.stringify(json));
  assert.deepEqual(Object.keys(json), ['code', 'message']);
  assert.equal(await direct.count(), stored);
  return [json.code, json.message];
}

test('brevo: the answer has one id, or a list of those of messageVersions', async () => {
  const id = /^<[0-9a-f-]{36}@example\.com>$/;
  const single = await post({ ...plain, subject: 'Answer with one id' });
  assert.equal(single.status, 201);
  assert.deepEqual(Object.keys(single.json), ['messageId']);
  assert.match(single.json.messageId, id);
  const [message] = await direct.arrived('Answer with one id');
  assert.ok(message.msgid.includes(single.json.messageId.slice(1, -1)));
  for (const count of [1, 2]) {
    const messageVersions = people(count).map((to) => ({ to: [to] }));
    const { status, json } = await post({ ...plain, messageVersions });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(json), ['messageIds']);
    assert.equal(new Set(json.messageIds).size, count);
    for (const given of json.messageIds) assert.match(given, id);
  }
});

test('brevo: a version takes from the request what it lacks, and its params and headers beside theirs', async () => {
  const subject = 'Versions {{params.kind}}';
  const body = {
    ...plain,
    subject,
    textContent: '{{ params.greeting }} {{params.user.name}}',
    params: { kind: 'of Brevo', greeting: 'Hello', user: { name: 'you' } },
    headers: { 'X-Shop': '1', 'X-Order': '0' },
    replyTo: { email: 'help@example.com', name: 'Help' },
    messageVersions: [
      { to: [{ email: 'a@gmail.com', name: 'A' }], cc: [{ email: 'c@gmail.com' }] },
      {
        to: [{ email: 'b@gmail.com' }],
        params: { user: { name: 'Bob' } },
        htmlContent: '<b>{{params.user.name}}</b>',
        replyTo: { email: 'bob@example.com' },
        headers: { 'X-Order': 2 },
      },
    ],
  };
  assert.equal((await post(body)).status, 201);
  const [first, second] = await direct.arrived('Versions of Brevo');
  assert.deepEqual(first.envelope.rcpt_to, ['a@gmail.com', 'c@gmail.com']);
  assert.deepEqual(first.to, [{ name: 'A', address: 'a@gmail.com' }]);
  assert.deepEqual(second.envelope.rcpt_to, ['b@gmail.com']);
  assert.deepEqual([textOf(first), textOf(second)], ['Hello you', 'Hello Bob']);
  assert.equal(second.html.trimEnd(), '<b>Bob</b>');
  assert.deepEqual(
    [first, second].map(({ reply_to }) => reply_to[0].address),
    ['help@example.com', 'bob@example.com'],
  );
  const orders = [first, second].map(({ headers }) =>
    headers.filter(({ name }: { name: string }) => /^x-/i.test(name)).map(({ value }: Json) => value),
  );
  assert.deepEqual(orders, [
    ['1', '0'],
    ['1', '2'],
  ]);
});

test('brevo: params that are unknown or objects, and other expressions, are left', async () => {
  const subject = 'Left expressions';
  const textContent =
    '{{params.no}} {{params.user}} {{contact.NAME}} {% if params.a %} {{params.a}} {{params.b}}';
  await post({ ...plain, subject, textContent, params: { user: {}, a: 5, b: false } });
  const [message] = await direct.arrived(subject);
  assert.equal(textOf(message), '{{params.no}} {{params.user}} {{contact.NAME}} {% if params.a %} 5 false');
});

test('brevo: a template is a number, and can have sender and subject itself', async () => {
  const body = { to: plain.to, templateId: 47110815, params: { code: '493817' }, htmlContent: '<p>' };
  assert.equal((await post(body)).status, 201);
  const [message] = await direct.arrived('47110815');
  assert.equal(message.from.address, 'sender@template.invalid');
  assert.equal(textOf(message), '47110815\n\n{"code":"493817"}');
  assert.equal(message.html, null);
});

test('brevo: a sender can be the id of one that is stored there', async () => {
  const subject = 'Sender by its id';
  assert.equal((await post({ ...plain, subject, sender: { id: 2 } })).status, 201);
  const [message] = await direct.arrived(subject);
  assert.equal(message.from.address, 'sender@template.invalid');
});

test('brevo: sender.ip is no header field, and unknown fields are ignored', async () => {
  const subject = 'Ignored fields';
  const headers = { 'sender.ip': '192.0.2.1', 'X-Mailin-custom': 'some' };
  const ignored = { tags: ['a'], batchId: 'x', scheduledAt: '2030-01-01T00:00:00.000Z', colour: [{}] };
  assert.equal((await post({ ...plain, ...ignored, subject, headers })).status, 201);
  const [message] = await direct.arrived(subject);
  const names = message.headers.map(({ name }: { name: string }) => name.toLowerCase());
  assert.ok(names.includes('x-mailin-custom'));
  assert.ok(!names.includes('sender.ip'));
});

test('brevo: what is wrong is told by its codes', async () => {
  const [missing, invalid] = ['missing_parameter', 'invalid_parameter'];
  const content = 'AAAA';
  for (const [change, code, message] of [
    [{ sender: undefined }, missing, /^sender\.email: is required$/],
    [{ to: undefined }, missing, /^to: is required$/],
    [{ to: [] }, missing, /^to: is required$/],
    [{ subject: '' }, missing, /^subject: is required$/],
    [{ textContent: undefined }, missing, /^htmlContent: is required$/],
    [{ attachment: [{ content }] }, missing, /^attachment\.0\.name: is required$/],
    [{ attachment: [{ name: 'a.txt' }] }, missing, /^attachment\.0\.content: is required$/],
    [{ messageVersions: [{ subject: 'x' }] }, missing, /^messageVersions\.0\.to: is required$/],
    [{ to: { email: 'a@gmail.com' } }, invalid, /^to: must be an array$/],
    [{ to: [{ email: 'a@gmail.com' }, { email: 'nobody' }] }, invalid, /^to\.1\.email: "nobody" is not/],
    [{ to: ['a@gmail.com'] }, missing, /^to\.0\.email: is required$/],
    [{ sender: { email: 'a@gmail.com\r\nBcc: eve@gmail.com' } }, invalid, /^sender\.email: /],
    [{ subject: 'a\r\nBcc: eve@gmail.com' }, invalid, /^subject: must not contain line breaks/],
    [{ headers: { 'X-A\r\nBcc': 'x' } }, invalid, /is not a valid header field name/],
    [{ headers: { 'X-A': 'x\r\nBcc: eve@gmail.com' } }, invalid, /^headers\.X-A: must not contain/],
    [{ headers: { Bcc: 'eve@gmail.com' } }, invalid, /request's other fields/],
    [{ headers: [] }, invalid, /^headers: must be an object$/],
    [{ attachment: [{ name: 'a.txt', content: '%%%' }] }, invalid, /^attachment\.0\.content: is not base64/],
    [
      { attachment: [{ url: 'https://example.com/a.pdf' }] },
      invalid,
      /^attachment\.0\.url: is not supported/,
    ],
    [{ params: { a: 'x'.repeat(101 * 1024) } }, invalid, /^params: must be at most 100 KB$/],
    [{ templateId: true }, invalid, /^templateId: must be a string/],
    [{ to: people(1001) }, invalid, /at most 1000/],
  ] as const) {
    const [gotCode, gotMessage] = await refused(change);
    assert.match(gotMessage, message);
    assert.equal(gotCode, code, gotMessage);
  }
});

test('brevo: one bad version refuses the request', async () => {
  const messageVersions = [{ to: plain.to }, { to: [{ email: 'nobody' }] }];
  const [code, message] = await refused({ messageVersions });
  assert.equal(code, 'invalid_parameter');
  assert.match(message, /^messageVersions\.1\.to\.0\.email: "nobody"/);
});

test('brevo: a version has 99 recipients, all have 2,000, a request without versions 1,000', async () => {
  const versions = (count: number, each: number) =>
    Array.from({ length: count }, (_, index) => ({ to: people(each, `v${index}-`) }));
  assert.match((await refused({ messageVersions: versions(1, 100) }))[1], /at most 99 recipients/);
  assert.match((await refused({ messageVersions: versions(21, 96) }))[1], /at most 2000 recipients/);
  assert.match((await refused({ messageVersions: versions(1001, 1) }))[1], /at most 1000 items/);
  assert.equal((await post({ ...plain, messageVersions: versions(1, 99) })).status, 201);
  assert.equal((await post({ ...plain, to: people(1000) })).status, 201);
});

test('brevo: faults of a request have its statuses and codes', async () => {
  const type = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const large = { ...plain, textContent: 'x'.repeat(33 * 1024 * 1024) };
  for (const [status, code, answer] of [
    [400, 'bad_request', post('{"to":')],
    [400, 'bad_request', post('a=b', form)],
    [400, 'missing_parameter', post([])],
    [401, 'unauthorized', direct.call('POST', path, { body: '{}', headers: type })],
    [401, 'unauthorized', post(plain, { 'api-key': `sp_${'A'.repeat(43)}` })],
    [404, 'document_not_found', post(plain, {}, '/v3/smtp/emails')],
    [405, 'method_not_allowed', direct.call('GET', path)],
    [413, 'bad_request', post(large)],
  ] as const) {
    const answered = await answer;
    assert.equal(answered.status, status, JSON.stringify(answered.json));
    assert.deepEqual(Object.keys(answered.json), ['code', 'message']);
    assert.equal(answered.json.code, code);
    assert.notEqual(answered.json.message, '');
  }
});
