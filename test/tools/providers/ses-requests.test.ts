import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { nodeClient, withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { base64 } from '#test/support/clients/smtp-auth.ts';
import { type Ses, sesId, startSes, subjectOf } from './ses-program.ts';

let ses: Ses;
before(async () => {
  ses = await startSes();
});
after(() => ses?.mail.stop());

const bulkPath = '/v2/email/outbound-bulk-emails';

const shop = { FromEmailAddress: 'shop@example.com', Destination: { ToAddresses: ['alice@gmail.com'] } };
const simple = (given: object = {}, subject = 'Hello') => ({
  ...shop,
  Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: 'text' } }, ...given } },
});
const raw = (lines: string[], given: object = {}) => ({
  ...given,
  Content: { Raw: { Data: base64(lines.join('\n')) } },
});
test('v2 answers with the id of the message alone, and ignores fields that it does not know', async () => {
  const subject = subjectOf('Known');
  const { status, json, headers } = await ses.v2({
    ...simple({ Unknown: 1 }, subject),
    ConfigurationSetName: 'x',
    Unknown: [{}],
  });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['MessageId']);
  assert.match(json.MessageId, sesId);
  assert.match(headers.get('x-amzn-requestid') ?? '', sesId);
  assert.ok((await ses.arrived(subject)).msgid.startsWith(`<${json.MessageId}@`));
});

test('each documented form of an address is read', async () => {
  const subject = subjectOf('Forms');
  const ToAddresses = [
    'a@gmail.com',
    'B <b@gmail.com>',
    '"C, D" <c@gmail.com>',
    '=?UTF-8?Q?S=C3=B6?= <s@gmail.com>',
  ];
  const FromEmailAddress = `=?UTF-8?B?${base64('Köln')}?= <shop@example.com>`;
  const { status, body } = await ses.v2({
    ...simple({}, subject),
    FromEmailAddress,
    Destination: { ToAddresses },
  });
  assert.equal(status, 200, body);
  const { to, from } = await ses.arrived(subject);
  const names = to.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ['', 'B', 'C, D', 'Sö']);
  assert.deepEqual(from, { name: 'Köln', address: 'shop@example.com' });
});

test('a raw mail goes to whom its header names, and shows no Bcc', async () => {
  const subject = subjectOf('Raw');
  const lines = [
    'From: "Shop, Inc." <shop@example.com>',
    'TO : Team: alice@gmail.com,',
    '\t"Bob, B." <bob@gmail.com>;',
    'Cc: undisclosed-recipients:;',
    'Bcc: carol@gmail.com,',
    ' alice@gmail.com',
    `Subject: ${subject}`,
    '',
    'To: dave@gmail.com',
  ];
  const { status, json } = await ses.v2(raw(lines));
  assert.equal(status, 200, JSON.stringify(json));
  assert.match(json.MessageId, sesId);
  const { envelope, id: number } = await ses.arrived(subject);
  assert.equal(envelope.mail_from, 'shop@example.com');
  assert.deepEqual([...envelope.rcpt_to].sort(), ['alice@gmail.com', 'bob@gmail.com', 'carol@gmail.com']);
  assert.doesNotMatch((await ses.mail.raw(number)).toString(), /carol/);
});

test('a request names the recipients and the sender of a raw mail before its header does', async () => {
  const subject = subjectOf('Named');
  const lines = ['To: alice@gmail.com', 'From: a@x.test', `Subject: ${subject}`, '', 'text'];
  const Destination = { BccAddresses: ['Bob <bob@gmail.com>'] };
  await ses.v2(raw(lines, { FromEmailAddress: 'Shop <shop@example.com>', Destination }));
  const { envelope } = await ses.arrived(subject);
  assert.deepEqual([envelope.mail_from, envelope.rcpt_to], ['shop@example.com', ['bob@gmail.com']]);
});

test('the official client sends raw mails by v2', { skip: withoutNodeClients }, async () => {
  type Sdk = {
    SESv2Client: new (given: object) => { send(command: object): Promise<{ MessageId: string }> };
    SendEmailCommand: new (input: object) => object;
  };
  const { SESv2Client, SendEmailCommand } = nodeClient<Sdk>('@aws-sdk/client-sesv2');
  const credentials = { accessKeyId: ses.mail.user.key, secretAccessKey: 'any' };
  const client = new SESv2Client({ endpoint: ses.url, region: 'eu-central-1', credentials });
  const subject = subjectOf('Client');
  const head = `From: shop@example.com\nTo: a@gmail.com\nMessage-ID: <own@x.test>\nSubject: ${subject}`;
  const Data = Buffer.from(`${head}\n\ntext`);
  const { MessageId } = await client.send(new SendEmailCommand({ Content: { Raw: { Data } } }));
  assert.equal(MessageId, 'own');
  assert.equal((await ses.arrived(subject)).msgid, '<own@x.test>');
});

test('a template of the request is filled in, and one of SES is named', async () => {
  const mark = subjectOf('Filled');
  const Template = {
    TemplateContent: {
      Subject: '{{mark}}',
      Text: 'Hi {{ user.name }}, {{{n}}}, {{none}}',
      Html: '<b>{{n}}</b>',
    },
    TemplateData: JSON.stringify({ mark, user: { name: 'Ada' }, n: 7 }),
    Headers: [{ Name: 'X-Order', Value: '1' }],
    Attachments: [{ RawContent: base64('file'), FileName: 'a.txt' }],
  };
  assert.equal((await ses.v2({ ...shop, Content: { Template } })).status, 200);
  const { text, html, attachments, headers } = await ses.arrived(mark);
  assert.deepEqual([text.trim(), html.trim()], ['Hi Ada, 7, {{none}}', '<b>7</b>']);
  assert.equal(attachments[0].filename, 'a.txt');
  assert.ok(headers.some(({ name }: { name: string }) => name === 'X-Order'));
  const name = `welcome-${randomBytes(4).toString('hex')}`;
  const TemplateArn = `arn:aws:ses:eu-central-1:123456789012:template/${name}`;
  assert.equal((await ses.v2({ ...shop, Content: { Template: { TemplateArn } } })).status, 200);
  assert.equal((await ses.arrived(name)).text.trim(), `${name}\n\n{}`);
});

test('a bulk answers each entry by itself', async () => {
  const mark = subjectOf('Bulk');
  const Template = {
    TemplateContent: { Subject: '{{s}} {{n}}', Text: 'x' },
    TemplateData: JSON.stringify({ s: mark, n: 0 }),
    Headers: [{ Name: 'X-One', Value: 'default' }],
  };
  const BulkEmailEntries = [
    { Destination: { ToAddresses: ['no address'] } },
    {
      Destination: { ToAddresses: ['bob@gmail.com'] },
      ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: '{"n":2}' } },
      ReplacementHeaders: [{ Name: 'x-one', Value: 'own' }],
    },
  ];
  const bulk = { FromEmailAddress: 'shop@example.com', DefaultContent: { Template }, BulkEmailEntries };
  const { status, json } = await ses.v2(bulk, bulkPath);
  assert.equal(status, 200);
  const [refused, sent] = json.BulkEmailEntryResults;
  assert.equal(refused.Status, 'INVALID_PARAMETER');
  assert.match(refused.Error, /no address/);
  assert.equal(sent.Status, 'SUCCESS');
  assert.match(sent.MessageId, sesId);
  const { headers } = await ses.arrived(`${mark} 2`);
  const values = headers.flatMap(({ name, value }: { name: string; value: string }) =>
    /^x-one$/i.test(name) ? [value] : [],
  );
  assert.deepEqual(values, ['own']);
  const entry = BulkEmailEntries[1];
  const many = await ses.v2({ ...bulk, BulkEmailEntries: Array.from({ length: 51 }, () => entry) }, bulkPath);
  assert.deepEqual([many.status, many.code], [400, 'BadRequestException']);
  const unsent = await ses.v2({ ...bulk, FromEmailAddress: 'no address' }, bulkPath);
  assert.deepEqual([unsent.status, unsent.code], [400, 'BadRequestException']);
});

const deep = '['.repeat(100_000);
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@gmail.com`);
const template = (given: object) => ({ ...shop, Content: { Template: given } });
/** Requests that v2 refuses, with part of the sentence. */
const invalid: [string, object, RegExp][] = [
  ['no content', { ...shop }, /^Content: must include Simple, Raw or Template$/],
  ['no sender', { ...simple(), FromEmailAddress: undefined }, /^FromEmailAddress: is required$/],
  ['no recipient', { ...simple(), Destination: {} }, /at least one address/],
  ['no subject', simple({ Subject: {} }), /Subject\.Data: is required/],
  ['a subject of two lines', simple({ Subject: { Data: 'a\r\nBcc: b@x.test' } }), /subject: .*line breaks/],
  [
    'a list for an address',
    { ...simple(), Destination: { ToAddresses: ['a@x.test, b@x.test'] } },
    /a single email address/,
  ],
  [
    '51 recipients',
    { ...simple(), Destination: { CcAddresses: addresses(51) } },
    /Recipient count exceeds 50\./,
  ],
  ['1,000 recipients', { ...simple(), Destination: { ToAddresses: addresses(1000) } }, /count exceeds 50\./],
  ['raw, 51 recipients', raw(['From: a@x.test', `To: ${addresses(51).join(', ')}`, '', '']), /exceeds 50\./],
  ['raw, not base64', { ...shop, Content: { Raw: { Data: '%%' } } }, /^Content\.Raw\.Data: is not base64$/],
  ['raw, blanks', { ...shop, Content: { Raw: { Data: `${' '.repeat(400_000)}!` } } }, /is not base64/],
  ['raw, no sender', raw(['To: alice@gmail.com', '', '']), /no address in its From header field/],
  ['raw, no recipient', raw(['From: a@x.test', '', 'To: alice@gmail.com']), /at least one address/],
  ['raw, a bad address', raw(['From: a@x.test', 'To: a b', '', '']), /^header To: "a b" is not/],
  ['16 header fields', simple({ Headers: Array(16).fill({ Name: 'X-A', Value: 'a' }) }), /at most 15 items/],
  [
    'a name with a line break',
    simple({ Headers: [{ Name: 'X\nA', Value: 'a' }] }),
    /not a valid header field name/,
  ],
  ['a value with a line break', simple({ Headers: [{ Name: 'X-A', Value: 'a\nB: c' }] }), /line breaks/],
  ['a header made here', simple({ Headers: [{ Name: 'Content-Type', Value: 'a' }] }), /generated from/],
  [
    'an attachment',
    simple({ Attachments: [{ RawContent: '%', FileName: 'a' }] }),
    /RawContent: is not base64/,
  ],
  ['a template without a name', template({}), /TemplateName, TemplateArn or TemplateContent/],
  [
    'values that are no JSON',
    template({ TemplateName: 'a', TemplateData: '{' }),
    /TemplateData: is not JSON/,
  ],
  ['values that are a list', template({ TemplateName: 'a', TemplateData: '[]' }), /must be an object/],
  ['deep values', template({ TemplateName: 'a', TemplateData: deep }), /too many levels or values/],
];
for (const [name, body, sentence] of invalid) {
  test(`v2 refuses as BadRequestException: ${name}`, async () => {
    const { status, code, json, headers } = await ses.v2(body);
    assert.deepEqual([status, code], [400, 'BadRequestException'], JSON.stringify(json));
    assert.deepEqual(Object.keys(json), ['message']);
    assert.match(json.message, sentence);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
  });
}
