import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { nodeClient, withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';
import { startDirect } from './direct.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

const people = (list: Mail['to']) =>
  list.map(({ name, address }) => (name === '' ? address : `"${name}" <${address}>`)).join(', ');

/** Message in the fields of Postmark's own API. */
function bodyOf(mail: Mail) {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
  return {
    From: people([from]),
    To: people(to),
    Cc: people(cc),
    Bcc: people(bcc),
    ...(replyTo && { ReplyTo: people([replyTo]) }),
    Subject: subject,
    ...(text === null ? {} : { TextBody: text }),
    ...(html === null ? {} : { HtmlBody: html }),
    Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
    Attachments: attachments.map(({ filename, contentType, content, contentId }) => ({
      Name: filename,
      Content: content,
      ContentType: contentType,
      ContentID: contentId && `cid:${contentId}`,
    })),
    MessageStream: 'outbound',
  };
}

type Sent = { MessageID: string; ErrorCode: number };

type ServerClient = {
  sendEmail(mail: object): Promise<Sent>;
  sendEmailBatch(mails: object[]): Promise<Sent[]>;
  sendEmailWithTemplate(mail: object): Promise<Sent>;
  sendEmailBatchWithTemplates(mails: object[]): Promise<Sent[]>;
};

function open({ url, key }: Access): ServerClient {
  type Options = { requestHost: string; useHttps: boolean };
  const { ServerClient } = nodeClient<{
    ServerClient: new (key: string, options: Options) => ServerClient;
  }>('postmark');
  return new ServerClient(key, { requestHost: url.replace('http://', ''), useHttps: false });
}

providerSuite({
  name: 'postmark by postmark',
  provider: 'postmark',
  skip: withoutNodeClients,
  send: async (access, mail) => (await open(access).sendEmail(bodyOf(mail))).MessageID,
  sendBatch: (access, mails) => open(access).sendEmailBatch(mails.map(bodyOf)),
  sendTemplate: (access, { from, to }, template, data) =>
    open(access).sendEmailWithTemplate({
      From: people([from]),
      To: people(to),
      TemplateAlias: template,
      TemplateModel: data,
    }),
  failure(error) {
    const { statusCode, message } = error as { statusCode: number; message: string };
    return { status: statusCode, message };
  },
  statuses: { wrongKey: 401, invalid: 422 },
} satisfies Client);

const direct = startDirect('postmark');

type Sending = { headers?: Record<string, string>; method?: string };

const post = (path: string, body: unknown, { headers = {}, method = 'POST' }: Sending = {}) =>
  direct.call(method, path, {
    headers: {
      'Content-Type': 'application/json',
      'X-Postmark-Server-Token': direct.access().key,
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  });

const unique = () => `Subject ${randomBytes(6).toString('hex')}`;
const valid = (given: object = {}) => ({
  From: 'shop@example.com',
  To: 'alice@gmail.com',
  Subject: unique(),
  TextBody: 'Hello',
  ...given,
});

/** Returns the Message of a single refused email. */
async function refusal(given: object): Promise<string> {
  const { status, json } = await post('/email', valid(given));
  assert.equal(status, 422, JSON.stringify(json));
  assert.deepEqual(Object.keys(json), ['ErrorCode', 'Message']);
  assert.equal(json.ErrorCode, 300);
  return json.Message;
}

test('postmark: the answer has the fields of Postmark', async () => {
  const { status, json } = await post(
    '/email',
    valid({ To: 'Alice <alice@gmail.com>, bob@gmail.com', Cc: 'carol@gmail.com' }),
  );
  assert.equal(status, 200);
  const { MessageID, SubmittedAt, ...rest } = json;
  assert.match(MessageID, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.ok(Math.abs(Date.parse(SubmittedAt) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    To: 'alice@gmail.com,bob@gmail.com',
    Cc: 'carol@gmail.com',
    ErrorCode: 0,
    Message: 'OK',
  });
});

test('postmark: each form of an address is taken', async () => {
  const Subject = unique();
  const To = 'a@gmail.com, Bob <b@gmail.com>,"Last, First" <c@gmail.com>, <d@gmail.com>';
  const { status } = await post('/email', valid({ Subject, To, From: '"Shop, Inc." <shop@example.com>' }));
  assert.equal(status, 200);
  const [message] = await direct.arrived(Subject);
  assert.deepEqual(message.from, { name: 'Shop, Inc.', address: 'shop@example.com' });
  assert.deepEqual(
    message.to.map(({ name, address }: Json) => `${name}|${address}`),
    ['|a@gmail.com', 'Bob|b@gmail.com', 'Last, First|c@gmail.com', '|d@gmail.com'],
  );
});

test('postmark: fields that are not known are ignored, a bare ContentID and Reply-To as a header field are taken', async () => {
  const Subject = unique();
  const file = { Name: 'logo.png', Content: 'aGk=', ContentType: 'image/png', ContentID: 'logo', Extra: 1 };
  const body = valid({
    Subject,
    HtmlBody: '<img src="cid:logo">',
    Attachments: [file],
    Metadata: { order: '4711' },
    Tag: 'welcome',
    Headers: [{ Name: 'reply-to', Value: 'Help <help@example.com>' }],
    TrackOpens: true,
    Nonsense: [null],
  });
  assert.equal((await post('/email', body)).status, 200);
  const [message] = await direct.arrived(Subject);
  assert.deepEqual(message.reply_to, [{ name: 'Help', address: 'help@example.com' }]);
  assert.equal(message.attachments[0].content_id.replace(/^<|>$/g, ''), 'logo');
});

test('postmark: what is wrong is told in the words of Postmark', async () => {
  assert.match(await refusal({ To: 'not an address' }), /^Invalid 'To' address: .*not an address/);
  assert.match(await refusal({ From: '' }), /^Invalid 'From' address: /);
  assert.match(await refusal({ Cc: 'a@gmail.com, b' }), /^Invalid 'Cc' address: /);
  assert.equal(await refusal({ To: '' }), 'Zero recipients specified.');
  assert.equal(await refusal({ TextBody: '' }), 'Provide either email TextBody or HtmlBody or both.');
  assert.equal(await refusal({ To: 7 }), "Invalid 'To' address: must be a string.");
  assert.match(
    await refusal({ Subject: 'a\r\nBcc: eve@gmail.com' }),
    /'subject' must not contain line breaks/,
  );
  const header = (Name: string, Value: string) => refusal({ Headers: [{ Name, Value }] });
  assert.match(await header('X-A', 'a\r\nBcc: eve@gmail.com'), /'headers.X-A' must not contain line breaks/);
  assert.match(await header('X-A:\r\nBcc', 'eve@gmail.com'), /is not a valid header field name/);
  assert.match(await header('Bcc', 'eve@gmail.com'), /is generated from the request's other fields/);
  const file = (given: object) =>
    refusal({ Attachments: [{ Name: 'a', Content: 'aGk=', ContentType: 'text/plain', ...given }] });
  assert.equal(await file({ Content: 'not base64!' }), "'Attachments.0.Content' is not base64.");
  assert.match(await file({ Name: '' }), /'Attachments.0.Name' is required/);
  assert.match(await file({ ContentType: 'text/plain\r\nX-A: b' }), /is not a media type/);
});

test('postmark: a long attachment that is not base64 is refused at once', async () => {
  const Content = `${' '.repeat(2_000_000)}!`;
  const Attachments = [{ Name: 'a', Content: `a${Content}`, ContentType: 'text/plain' }];
  const took = await shortest(5000, () => durationOf(() => refusal({ Attachments })));
  assert.ok(took < 5000, `${took} ms`);
});

test('postmark: at most 50 addresses in a field, and 500 mails in a batch', async () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `a${at}@gmail.com`).join();
  assert.equal((await post('/email', valid({ To: list(50), Bcc: list(50) }))).status, 200);
  assert.equal(await refusal({ To: list(51) }), "'To' may have at most 50 recipients.");
  assert.equal(await refusal({ To: list(1000) }), "'To' may have at most 50 recipients.");
  const { status, json } = await post(
    '/email/batch',
    Array.from({ length: 501 }, () => valid()),
  );
  assert.equal(status, 422);
  assert.deepEqual(json, { ErrorCode: 410, Message: 'A batch may have at most 500 messages.' });
});

test('postmark: a bad mail of a batch leaves the others', async () => {
  const [first, last] = [valid(), valid()];
  const { status, json } = await post('/email/batch', [first, valid({ To: 'bad' }), 'nothing', last]);
  assert.equal(status, 200);
  const codes = json.map(({ ErrorCode }: Json) => ErrorCode);
  assert.deepEqual(codes, [0, 300, 300, 0]);
  assert.match(json[1].Message, /^Invalid 'To' address: "bad"/);
  for (const { Subject } of [first, last]) assert.equal((await direct.arrived(Subject)).length, 1);
});

test('postmark: a batch that is not a list, or empty, is refused', async () => {
  for (const body of [{}, [], { Messages: [] }]) {
    for (const path of ['/email/batch', '/email/batchWithTemplates']) {
      const { status, json } = await post(path, body);
      assert.equal(status, 422);
      assert.equal(json.ErrorCode, 300);
    }
  }
});

test('postmark: templates by id and by alias, one by one and in a batch', async () => {
  const alias = `welcome-${randomBytes(4).toString('hex')}`;
  const TemplateModel = { name: 'Ada', items: [{ price: 1 }], none: null };
  const head = { From: 'shop@example.com', To: 'alice@gmail.com', TemplateModel };
  const byId = 10_000_000 + randomBytes(3).readUIntBE(0, 3);
  const single = await post('/email/withTemplate', { ...head, TemplateId: byId });
  assert.equal(single.status, 200);
  const [message] = await direct.arrived(String(byId));
  assert.ok(message.text.includes(JSON.stringify(TemplateModel)), message.text);
  const { status, json } = await post('/email/batchWithTemplates', {
    Messages: [{ ...head, TemplateAlias: alias }, head],
  });
  assert.equal(status, 200);
  assert.equal(json[0].ErrorCode, 0);
  assert.deepEqual(json[1], { ErrorCode: 1101, Message: 'Provide a TemplateId or a TemplateAlias.' });
  assert.equal((await direct.arrived(alias)).length, 1);
});

test('postmark: faults of the request have the status and the ErrorCode of Postmark', async () => {
  const codes = async (call: ReturnType<typeof post>) => {
    const { status, json } = await call;
    assert.equal(typeof json.Message, 'string');
    return [status, json.ErrorCode];
  };
  const token = (value: string) => ({ headers: { 'X-Postmark-Server-Token': value } });
  assert.deepEqual(await codes(post('/email', valid(), token('POSTMARK_API_TEST'))), [401, 10]);
  assert.deepEqual(await codes(post('/email', valid(), token(''))), [401, 10]);
  assert.deepEqual(await codes(post('/email', '{')), [422, 402]);
  const plain = { headers: { 'Content-Type': 'text/plain' } };
  assert.deepEqual(await codes(post('/email', valid(), plain)), [422, 409]);
  assert.deepEqual(await codes(post('/emails', valid())), [404, 300]);
  assert.deepEqual(await codes(post('/email', null, { method: 'GET' })), [405, 300]);
  const large = `"${'a'.repeat(33 * 1024 * 1024)}"`;
  assert.deepEqual(await codes(post('/email', large)), [413, 300]);
});
