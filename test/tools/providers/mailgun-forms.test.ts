import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { startDirect } from './direct.ts';

const domain = 'example.com';

const direct = startDirect('mailgun');

type Fields = Record<string, string | string[] | File>;
type Sending = { path?: string; user?: string; type?: string; method?: string };

/** Posts fields, encoded as multipart/form-data unless `type` says otherwise. */
async function post(
  fields: Fields,
  { path, user = `api:${direct.access().key}`, type, method }: Sending = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const item of [value].flat()) form.append(name, item);
  const texts = [...form].filter((field): field is [string, string] => typeof field[1] === 'string');
  const response = await fetch(`${direct.access().url}${path ?? `/v3/${domain}/messages`}`, {
    method: method ?? 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(user).toString('base64')}`,
      ...(type === undefined ? {} : { 'Content-Type': type }),
    },
    ...(method ? {} : { body: type === undefined ? form : new URLSearchParams(texts).toString() }),
  });
  const text = await response.text();
  const json: Json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
  return { status: response.status, text, json, headers: response.headers };
}

const unique = () => `Subject ${randomBytes(6).toString('hex')}`;
const valid = (given: Fields = {}): Fields & { subject: string } => ({
  from: 'Shop <shop@example.com>',
  to: 'alice@gmail.com',
  text: 'Hello',
  subject: unique(),
  ...given,
});

/** Returns the message of a refused request. */
async function refusal(given: Fields, sending: Sending = {}): Promise<string> {
  const { status, json, text } = await post(valid(given), sending);
  assert.equal(status, 400, text);
  assert.deepEqual(Object.keys(json), ['message']);
  return json.message;
}

const urlEncoded = { type: 'application/x-www-form-urlencoded' };

test('mailgun: the answer names the message as Mailgun does, for both kinds of forms', async () => {
  for (const sending of [{}, urlEncoded]) {
    const fields = valid({ text: 'Grüße & more' });
    const { status, json } = await post(fields, sending);
    assert.equal(status, 200);
    assert.match(json.id, /^<[^<>@]+@example\.com>$/);
    assert.deepEqual(json, { id: json.id, message: 'Queued. Thank you.' });
    const [message] = await direct.arrived(fields.subject);
    assert.equal(message.text.trimEnd(), 'Grüße & more');
    assert.ok(json.id.includes(message.msgid.replace(/^<|>$/g, '')));
  }
});

test('mailgun: each form of an address is taken, lists and repeated fields too, and no address twice', async () => {
  const fields = valid({
    to: ['a@gmail.com, Bob <b@gmail.com>', '"Last, First" <c@gmail.com>', 'A@gmail.com'],
  });
  assert.equal((await post(fields)).status, 200);
  const [message] = await direct.arrived(fields.subject);
  assert.deepEqual(
    message.to.map(({ name, address }: Json) => `${name}|${address.toLowerCase()}`),
    ['|a@gmail.com', 'Bob|b@gmail.com', 'Last, First|c@gmail.com'],
  );
});

test('mailgun: a recipient has a mail of its own, with its variables', async () => {
  const fields = valid({
    to: ['Ann <Ann@gmail.com>', 'ben@gmail.com', 'ann@gmail.com', 'cy@gmail.com'],
    cc: 'boss@gmail.com',
    text: 'Hi %recipient.name%, %recipient.id%, %recipient.missing%, %recipient.deep%, 100%',
    html: '<b>%recipient.name%</b>',
    'h:List-Unsubscribe': '<https://shop.example/%recipient.id%>',
    'recipient-variables': JSON.stringify({
      'ann@gmail.com': { name: 'Ann', id: 7, deep: {} },
      'ben@gmail.com': { name: '$& %recipient.id%', id: 8 },
    }),
  });
  assert.equal((await post(fields)).status, 200);
  const messages = await direct.arrived(fields.subject);
  assert.equal(messages.length, 3);
  const of = (address: string) =>
    messages.find(({ to }) => to.length === 1 && to[0].address.toLowerCase() === address);
  const ann = of('ann@gmail.com');
  assert.equal(ann.text.trimEnd(), 'Hi Ann, 7, %recipient.missing%, %recipient.deep%, 100%');
  assert.equal(ann.html.trimEnd(), '<b>Ann</b>');
  assert.deepEqual(ann.cc, [{ name: '', address: 'boss@gmail.com' }]);
  const list = ann.headers.find(({ name }: Json) => name.toLowerCase() === 'list-unsubscribe');
  assert.equal(list.value, '<https://shop.example/7>');
  assert.match(of('ben@gmail.com').text, /^Hi \$& %recipient\.id%, 8,/);
  assert.match(of('cy@gmail.com').text, /^Hi %recipient\.name%/);
});

test('mailgun: without recipient-variables, all recipients have one mail', async () => {
  const fields = valid({ to: 'a@gmail.com, b@gmail.com', text: '%recipient.name%' });
  assert.equal((await post(fields)).status, 200);
  const messages = await direct.arrived(fields.subject);
  assert.equal(messages.length, 1);
  assert.equal(messages[0].text.trimEnd(), '%recipient.name%');
  const own = valid({ to: 'a@gmail.com, b@gmail.com', 'recipient-variables': '{}' });
  assert.equal((await post(own)).status, 200);
  assert.equal((await direct.arrived(own.subject)).length, 2);
});

test('mailgun: 1,000 recipients, in one mail or each by itself, and no more', async () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `a${at}@gmail.com`).join();
  assert.equal((await post(valid({ to: list(1000) }))).status, 200);
  const fields = valid({ to: list(1000), 'recipient-variables': '{}' });
  assert.equal((await post(fields)).status, 200);
  assert.match(await refusal({ to: list(1001) }), /^'to' parameter may have at most 1000 recipients$/);
});

test('mailgun: mails of a batch that are too large together are refused', async () => {
  const to = Array.from({ length: 1000 }, (_, at) => `a${at}@gmail.com`).join();
  const text = `%recipient.a%${'a'.repeat(4_000_000)}`;
  const message = await refusal({
    to,
    text,
    'recipient-variables': JSON.stringify({ 'a0@gmail.com': { a: 1 } }),
  });
  assert.match(message, /would make the messages larger than \d+ bytes in total/);
});

test('mailgun: variables and a template', async () => {
  const template = `welcome-${randomBytes(4).toString('hex')}`;
  const given = valid({
    template,
    subject: '',
    'h:X-Mailgun-Variables': '{"a":1,"b":"%recipient.b%"}',
    'v:order': '4711',
    't:variables': '{"a":2}',
    'recipient-variables': '{"alice@gmail.com":{"b":"B"}}',
  });
  const { from, text, ...withoutSender } = given;
  assert.ok(from && text);
  assert.equal((await post(withoutSender)).status, 200);
  const [message] = await direct.arrived(template);
  assert.ok(message.text.includes('{"a":2,"b":"B","order":"4711"}'), message.text);
  assert.equal(message.from.address, 'postmaster@example.com');
  const field = message.headers.find(({ name }: Json) => name.toLowerCase() === 'x-mailgun-variables');
  assert.deepEqual(JSON.parse(field.value), { a: 1, b: 'B', order: '4711' });
});

test('mailgun: options and fields that are not known are ignored', async () => {
  const fields = valid({
    'o:tag': ['a', 'b'],
    'o:testmode': 'yes',
    'o:deliverytime': 'x',
    nonsense: 'x',
    to2: 'bad',
  });
  assert.equal((await post(fields)).status, 200);
  assert.equal((await direct.arrived(fields.subject)).length, 1);
});

test('mailgun: what is wrong is told in the words of Mailgun', async () => {
  const { from, to, text, ...rest } = valid();
  const told = async (fields: Fields) => (await post(fields)).json.message;
  assert.ok(from && to && text);
  assert.equal(await told({ ...rest, to, text }), "'from' parameter is missing");
  assert.equal(await told({ ...rest, from, text }), "'to' parameter is missing");
  assert.match(await told({ ...rest, from, to }), /Need at least one of 'text', 'html'/);
  const wrongAddress = (name: string) =>
    new RegExp(`^'${name}' parameter is not a valid address\\. please check documentation: .*bad`);
  for (const name of ['from', 'to', 'cc', 'bcc'])
    assert.match(await refusal({ [name]: 'bad' }), wrongAddress(name));
  assert.equal(
    await refusal({ 'recipient-variables': '{' }),
    "'recipient-variables' parameter is not a valid JSON",
  );
  assert.match(await refusal({ 'recipient-variables': '[]' }), /must be an object/);
  assert.match(
    await refusal({ 'recipient-variables': '{"alice@gmail.com":{"__proto__":1}}', 'h:Bcc': 'a' }),
    /generated/,
  );
  const deep = `${'['.repeat(1_000_000)}`;
  assert.match(await refusal({ template: 'a', 't:variables': deep }), /too many values or levels/);
  assert.match(await refusal({ 'h:X-A': 'a\r\nBcc: eve@gmail.com' }), /must not contain line breaks/);
  assert.match(await refusal({ 'h:X A': 'a' }), /is not a valid header field name/);
  assert.match(await refusal({ subject: 'a\r\nBcc: eve@gmail.com' }), /must not contain line breaks/);
  assert.match(await refusal({ attachment: 'a text' }), /must be a multipart\/form-data file/);
});

test('mailgun: bytes of a file are kept as they are, and its name cannot end a header field', async () => {
  const bytes = randomBytes(5000);
  const fields = valid({
    attachment: new File([bytes], 'a"b\r\nX-Eve: 1.bin', { type: 'application/x-thing' }),
  });
  assert.equal((await post(fields)).status, 200);
  const [message] = await direct.arrived(fields.subject);
  const [attachment] = message.attachments;
  assert.equal(attachment.content_type, 'application/x-thing');
  const { body } = await direct.api().get(`/api/messages/${message.id}/attachments/${attachment.id}`);
  assert.deepEqual(body, bytes);
  assert.ok(!message.headers.some(({ name }: Json) => name.toLowerCase() === 'x-eve'));
});

const mime = { path: `/v3/${domain}/messages.mime` };
const raw = (subject: string, more = '') =>
  `From: =?utf-8?q?S=C3=B6hne?=\r\n <shop@example.com>\r\nTo: all@example.com\r\n${more}` +
  `Bcc: hidden@gmail.com\r\nSubject: ${subject}\r\n\r\nHello %recipient.name%\r\n`;

test('mailgun: a message in MIME form, as a file or as text, goes to the field to alone', async () => {
  for (const asFile of [true, false]) {
    const subject = unique();
    const text = raw(subject, 'Message-ID: <chosen@shop.example>\r\n');
    const message = asFile ? new File([text], 'MimeMessage') : text;
    const { status, json } = await post({ to: 'alice@gmail.com', message }, mime);
    assert.equal(status, 200);
    assert.equal(json.id, '<chosen@shop.example>');
    const [stored, ...others] = await direct.arrived(subject);
    assert.equal(others.length, 0);
    assert.equal(stored.envelope.mail_from, 'shop@example.com');
    assert.deepEqual(stored.envelope.rcpt_to, ['alice@gmail.com']);
    assert.equal(stored.text.trimEnd(), 'Hello %recipient.name%');
    assert.deepEqual(stored.bcc, []);
  }
});

test('mailgun: a message in MIME form is filled in for each recipient', async () => {
  const subject = unique();
  const fields = {
    to: 'a@gmail.com, b@gmail.com',
    message: new File([raw(subject, 'Content-Type: text/plain; charset=utf-8\r\n')], 'MimeMessage'),
    'recipient-variables': '{"a@gmail.com":{"name":"Ärger"},"b@gmail.com":{"name":"Bob"}}',
  };
  const { status, json } = await post(fields, mime);
  assert.equal(status, 200);
  assert.match(json.id, /^<[0-9a-f-]{36}>$/);
  const texts = (await direct.arrived(subject)).map(({ text }) => text.trimEnd());
  assert.deepEqual(texts.sort(), ['Hello Bob', 'Hello Ärger']);
});

test('mailgun: a message in MIME form without a sender, and none at all', async () => {
  const told = async (fields: Fields) => (await post(fields, mime)).json.message;
  const message = new File(['Subject: a\n\nFrom: shop@example.com\n'], 'MimeMessage');
  assert.match(await told({ to: 'alice@gmail.com', message }), /^'message' parameter has no address/);
  assert.equal(await told({ to: 'alice@gmail.com' }), "'message' parameter is missing");
  assert.equal(await told({ message: raw('a') }), "'to' parameter is missing");
});

test('mailgun: faults of the request have the status of Mailgun', async () => {
  const wrongKey = await post(valid(), { user: 'api:key-wrong' });
  assert.equal(wrongKey.status, 401);
  assert.match(wrongKey.text, /^Forbidden/);
  assert.match(wrongKey.headers.get('www-authenticate') ?? '', /^Basic /);
  const told = async (sending: Sending, fields = valid()) => {
    const { status, json } = await post(fields, sending);
    assert.equal(typeof json.message, 'string');
    return status;
  };
  assert.equal(await told({ type: 'application/json' }), 400);
  assert.equal(await told({ type: 'multipart/form-data; boundary=a' }), 400);
  assert.equal(await told({ path: '/v3/example.com/nothing' }), 404);
  assert.equal(await told({ method: 'GET' }), 405);
  const large = new File([Buffer.alloc(33 * 1024 * 1024)], 'a');
  assert.equal(await told({}, valid({ attachment: large })), 413);
});
