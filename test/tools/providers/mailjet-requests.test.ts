import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { startDirect } from './direct.ts';

const direct = startDirect('mailjet');
const path = '/v3.1/send';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const plain = {
  From: { Email: 'shop@example.com', Name: 'Shop' },
  To: [{ Email: 'alice@gmail.com' }],
  Subject: 'Hello',
  TextPart: 'Hi',
};

const basic = (key: string) => ({ authorization: `Basic ${btoa(`${key}:secret`)}` });
const post = (body: unknown, headers = {}, at = path) =>
  direct.post(at, body, { ...basic(direct.access().key), ...headers });
const textOf = ({ text }: Json) => text.replaceAll('\r\n', '\n').trimEnd();

/** Sends one message that must be refused, and returns its first error. */
async function refused(change: object, globals: object = {}): Promise<Json> {
  const stored = await direct.count();
  const { status, json } = await post({ Globals: globals, Messages: [{ ...plain, ...change }] });
  assert.equal(status, 400, JSON.stringify(json));
  assert.equal(await direct.count(), stored);
  const [{ Status, Errors }] = json.Messages;
  assert.equal(Status, 'error');
  const [error] = Errors;
  assert.deepEqual(Object.keys(error), [
    'ErrorIdentifier',
    'ErrorCode',
    'StatusCode',
    'ErrorMessage',
    'ErrorRelatedTo',
  ]);
  assert.match(error.ErrorIdentifier, uuid);
  assert.equal(error.StatusCode, 400);
  return error;
}

test('mailjet: the answer names each recipient, the ids of the message and the CustomID', async () => {
  const message = {
    ...plain,
    Subject: 'Answer of a success',
    Cc: [{ Email: 'bob@gmail.com', Name: 'Bob' }],
    Bcc: [{ Email: 'carol@gmail.com' }],
    CustomID: 'order-4711',
  };
  const { status, json } = await post({ Messages: [message, plain], SandboxMode: true });
  assert.equal(status, 200);
  const [first, second] = json.Messages;
  assert.deepEqual(Object.keys(first), ['Status', 'CustomID', 'To', 'Cc', 'Bcc']);
  const { MessageUUID, MessageID } = first.To[0];
  const ids = {
    MessageUUID,
    MessageID,
    MessageHref: `https://api.mailjet.com/v3/REST/message/${MessageID}`,
  };
  assert.deepEqual(first, {
    Status: 'success',
    CustomID: 'order-4711',
    To: [{ Email: 'alice@gmail.com', ...ids }],
    Cc: [{ Email: 'bob@gmail.com', ...ids }],
    Bcc: [{ Email: 'carol@gmail.com', ...ids }],
  });
  assert.match(MessageUUID, uuid);
  assert.ok(Number.isSafeInteger(MessageID) && MessageID > 0);
  assert.equal(second.CustomID, '');
  assert.notEqual(second.To[0].MessageID, MessageID);
  const [arrived] = await direct.arrived(message.Subject);
  assert.ok(arrived.msgid.includes(MessageUUID));
  const field = arrived.headers.find(({ name }: { name: string }) => /^x-mj-customid$/i.test(name));
  assert.equal(field.value, 'order-4711');
});

test('mailjet: a message takes from Globals what it lacks, and its headers and variables beside theirs', async () => {
  const file = { Filename: 'terms.txt', ContentType: 'text/plain', Base64Content: 'VGVybXM=' };
  const Globals = {
    ...plain,
    Subject: 'By Globals',
    TextPart: '{{var:greeting}} {{var:name}}',
    TemplateLanguage: true,
    Variables: { greeting: 'Hello', name: 'you' },
    Headers: { 'X-Shop': '1', 'X-Order': '0' },
    ReplyTo: { Email: 'help@example.com' },
    Attachments: [file],
  };
  const Messages = [
    { To: [{ Email: 'a@gmail.com' }] },
    {
      To: [{ Email: 'b@gmail.com' }],
      Variables: { name: 'Bob' },
      Headers: { 'X-Order': '2' },
      Attachments: [],
    },
  ];
  assert.equal((await post({ Globals, Messages })).status, 200);
  const [first, second] = await direct.arrived(Globals.Subject);
  assert.deepEqual([first.envelope.rcpt_to, second.envelope.rcpt_to], [['a@gmail.com'], ['b@gmail.com']]);
  assert.deepEqual([textOf(first), textOf(second)], ['Hello you', 'Hello Bob']);
  assert.deepEqual([first.attachments.length, second.attachments.length], [1, 0]);
  assert.equal(second.reply_to[0].address, 'help@example.com');
  const orders = [first, second].map(({ headers }) =>
    headers.filter(({ name }: { name: string }) => /^x-/i.test(name)).map(({ value }: Json) => value),
  );
  assert.deepEqual(orders, [
    ['1', '0'],
    ['1', '2'],
  ]);
});

test('mailjet: variables are filled in with TemplateLanguage alone', async () => {
  const TextPart = [
    '{{var:name}}, {{ var:order.id }}, {{var:count}}',
    '{{var:city:"Köln: am Rhein"}}, {{var:city:unknown}}, {{var:name:"nobody"}}, {{var:city:""}}',
    '{{var:city}}, {{var:order}}, {{data:firstname}}, {% if var:name %}',
  ].join('\n');
  const Variables = { name: 'Ada', order: { id: 'A-1' }, count: 3 };
  const message = { ...plain, Subject: 'Variables of {{var:name}}', TextPart, Variables };
  await post({ Messages: [{ ...message, TemplateLanguage: true }, message] });
  const [filled] = await direct.arrived('Variables of Ada');
  assert.deepEqual(textOf(filled).split('\n'), [
    'Ada, A-1, 3',
    'Köln: am Rhein, unknown, Ada, ',
    '{{var:city}}, {{var:order}}, {{data:firstname}}, {% if var:name %}',
  ]);
  const [left] = await direct.arrived('Variables of {{var:name}}');
  assert.equal(textOf(left), TextPart);
});

test('mailjet: a template is a number, and can have sender and subject itself', async () => {
  const message = { To: plain.To, TemplateID: 471_100_815, Variables: { order: { id: 1 } } };
  assert.equal((await post({ Messages: [message] })).status, 200);
  const [arrived] = await direct.arrived('471100815');
  assert.equal(arrived.from.address, 'sender@template.invalid');
  assert.equal(textOf(arrived), '471100815\n\n{"order":{"id":1}}');
});

test('mailjet: one bad message leaves the others of its request', async () => {
  const subject = 'One bad message';
  const mails = [
    { ...plain, Subject: subject },
    { ...plain, Subject: subject, To: [{ Email: 'bob@gmail.com' }, { Email: 'nobody' }] },
    { ...plain, Subject: subject, TextPart: '' },
    { ...plain, Subject: `${subject}\r\nBcc: eve@gmail.com` },
    { ...plain, Subject: subject },
  ];
  const { status, json } = await post({ Messages: mails });
  assert.equal(status, 400);
  assert.deepEqual(
    json.Messages.map(({ Status, Errors = [] }: Json) => [Status, Errors[0]?.ErrorCode]),
    [
      ['success', undefined],
      ['error', 'mj-0013'],
      ['error', 'send-0003'],
      ['error', 'mj-0005'],
      ['success', undefined],
    ],
  );
  assert.deepEqual(json.Messages[1].Errors[0].ErrorRelatedTo, ['To[1].Email']);
  assert.deepEqual(json.Messages[2].Errors[0].ErrorRelatedTo, ['HTMLPart', 'TextPart']);
  assert.equal((await direct.arrived(subject)).length, 2);
});

test('mailjet: what is wrong with a message has its codes and properties', async () => {
  const file = { Filename: 'a.txt', ContentType: 'text/plain', Base64Content: 'AAAA' };
  const people = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ Email: `a${index}@gmail.com` }));
  for (const [change, code, ...related] of [
    [{ From: undefined }, 'mj-0003', 'From.Email'],
    [{ To: undefined }, 'mj-0003', 'To'],
    [{ To: [] }, 'mj-0007', 'To'],
    [{ To: plain.To[0] }, 'mj-0004', 'To'],
    [{ Cc: [{ Email: 'a b@gmail.com' }] }, 'mj-0013', 'Cc[0].Email'],
    [{ From: { Email: 'a@gmail.com\r\nBcc: eve@gmail.com' } }, 'mj-0013', 'From.Email'],
    [{ TextPart: undefined }, 'send-0003', 'HTMLPart', 'TextPart'],
    [{ TextPart: 5 }, 'mj-0004', 'TextPart'],
    [{ Subject: 'x'.repeat(256) }, 'mj-0006', 'Subject'],
    [{ To: people(30), Cc: people(21) }, 'send-0015', 'To', 'Cc', 'Bcc'],
    [{ To: people(1000) }, 'send-0015', 'To', 'Cc', 'Bcc'],
    [{ Headers: { Subject: 'x' } }, 'send-0011', 'Headers["Subject"]'],
    [{ Headers: { 'X-A': 'x\r\nBcc: eve@gmail.com' } }, 'mj-0005', 'Headers["X-A"]'],
    [{ Headers: { 'X-A\r\nBcc': 'x' } }, 'mj-0005', 'Headers["X-A\r\nBcc"]'],
    [{ Headers: { 'X-A': ['x'] } }, 'mj-0004', 'Headers["X-A"]'],
    [{ CustomID: 'a\nb' }, 'mj-0005', 'Headers["X-MJ-CustomID"]'],
    [{ Attachments: [{ ...file, Base64Content: '%%%' }] }, 'mj-0004', 'Attachments[0].Base64Content'],
    [{ Attachments: [{ ...file, Filename: '' }] }, 'mj-0003', 'Attachments[0].Filename'],
    [{ InlinedAttachments: [file, {}] }, 'mj-0003', 'InlinedAttachments[1].Base64Content'],
    [{ Attachments: Array(101).fill(file) }, 'mj-0008', 'Attachments'],
    [{ TemplateLanguage: 'yes' }, 'mj-0004', 'TemplateLanguage'],
    [{ TemplateID: {} }, 'mj-0004', 'TemplateID'],
    [{ Variables: [] }, 'mj-0004', 'Variables'],
  ] as const) {
    const error = await refused(change);
    assert.deepEqual([error.ErrorCode, error.ErrorRelatedTo], [code, related], error.ErrorMessage);
  }
  const { ErrorRelatedTo } = await refused({ From: undefined }, { From: { Email: 'nobody' } });
  assert.deepEqual(ErrorRelatedTo, ['Globals.From.Email']);
});

test('mailjet: 50 recipients and 50 messages are taken', async () => {
  const To = Array.from({ length: 50 }, (_, index) => ({ Email: `a${index}@gmail.com` }));
  assert.equal((await post({ Messages: [{ ...plain, To }] })).status, 200);
  const { json } = await post({ Messages: Array(50).fill(plain) });
  assert.equal(json.Messages.length, 50);
});

test('mailjet: unknown properties are ignored', async () => {
  const subject = 'Ignored properties';
  const ignored = { Priority: 2, TrackOpens: 'disabled', EventPayload: '{\n}', URLTags: 'a=b', Colour: [{}] };
  const body = { Messages: [{ ...plain, ...ignored, Subject: subject }], AdvanceErrorHandling: true };
  assert.equal((await post(body)).status, 200);
  assert.equal((await direct.arrived(subject)).length, 1);
});

test('mailjet: faults of a request have its statuses, codes and fields', async () => {
  const type = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const large = { Messages: [{ ...plain, TextPart: 'x'.repeat(33 * 1024 * 1024) }] };
  const bad = { Filename: 'a', ContentType: 'text/plain', Base64Content: '%%%' };
  for (const [status, code, answer, related] of [
    [400, 'mj-0002', post('{"Messages":')],
    [400, 'mj-0002', post('a=b', form)],
    [400, 'mj-0011', post(large)],
    [400, 'mj-0007', post({}), ['Messages']],
    [400, 'mj-0007', post({ Messages: [] }), ['Messages']],
    [400, 'mj-0004', post({ Messages: plain }), ['Messages']],
    [400, 'mj-0008', post({ Messages: Array(51).fill(plain) }), ['Messages']],
    [
      400,
      'mj-0004',
      post({ Messages: [plain], Globals: { Attachments: [bad] } }),
      ['Globals.Attachments[0].Base64Content'],
    ],
    [401, 'mj-0015', direct.call('POST', path, { body: '{}', headers: type })],
    [401, 'mj-0015', post({ Messages: [plain] }, basic(`sp_${'A'.repeat(43)}`))],
    [404, undefined, post({ Messages: [plain] }, {}, '/v3/send')],
    [405, undefined, direct.call('GET', path)],
  ] as const) {
    const answered = await answer;
    const { ErrorIdentifier, ErrorCode, StatusCode, ErrorMessage, ErrorRelatedTo } = answered.json;
    assert.equal(answered.status, status, JSON.stringify(answered.json));
    assert.deepEqual([ErrorCode, ErrorRelatedTo], [code, related], ErrorMessage);
    if (related === undefined) assert.equal(StatusCode, status);
    assert.match(ErrorIdentifier, uuid);
    assert.notEqual(ErrorMessage, '');
  }
});
