import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const mail = await startMailProgram();
const inbox: string = `inbox@${mail.user.domain.domain}`;
await ok(mail.user.api.post('/api/accounts', { address: inbox, is_capture: true }));

type Sent = { key?: string; headers?: Record<string, string>; path?: string; method?: string };

/** Sends a request to SendGrid's API. */
async function send(
  body: unknown,
  { key = mail.user.key, headers, path = 'v3/mail/send', method = 'POST' }: Sent = {},
) {
  const answer = await fetch(`${mail.program.baseUrl}/providers/sendgrid/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const { errors = [] }: { errors?: { message: string; field: string | null }[] } =
    text === '' ? {} : JSON.parse(text);
  return { status: answer.status, errors, headers: answer.headers };
}

const to = (...addresses: string[]) => addresses.map((email) => ({ email }));
const request = (subject: string, more: object = {}) => ({
  personalizations: [{ to: to('alice@gmail.com') }],
  from: { email: 'shop@example.com' },
  subject,
  content: [{ type: 'text/plain', value: 'Your code is 493817.' }],
  ...more,
});

const found = async (subject: string, api = mail.user.api) =>
  (await ok(api.get(`/api/messages?subject=${encodeURIComponent(subject)}&limit=200`))).items;

const refused: [string, unknown, Sent, number, RegExp][] = [
  ['no key', request('x'), { headers: { authorization: '' } }, 401, /API key/],
  ['a key that nobody has', request('x'), { key: `sp_${'B'.repeat(43)}` }, 401, /API key/],
  [
    'a wrong content type',
    request('x'),
    { headers: { 'content-type': 'text/plain' } },
    400,
    /application\/json/,
  ],
  ['a compressed body', request('x'), { headers: { 'content-encoding': 'gzip' } }, 400, /compressed/],
  ['no JSON', '{"personalizations":', {}, 400, /JSON/],
  ['a list', [], {}, 400, /personalizations/],
  ['nothing', '', {}, 400, /body/],
  ['no recipient', request('x', { personalizations: [{}] }), {}, 400, /at least one/],
  ['only a copy', request('x', { personalizations: [{ cc: to('a@b.test') }] }), {}, 400, /^The to array /],
  ['a sender that is none', request('x', { from: { email: 'shop' } }), {}, 400, /shop/],
  [
    'an attachment that is not base64',
    request('x', { attachments: [{ filename: 'a', content: 'ä' }] }),
    {},
    400,
    /base64/,
  ],
  [
    'a header name with a line break',
    request('x', { headers: { 'X-A\r\nBcc': 'v' } }),
    {},
    400,
    /header field/,
  ],
  [
    'a header value with a line break',
    request('x', { headers: { 'X-A': 'v\r\nBcc: a@b.test' } }),
    {},
    400,
    /line breaks/,
  ],
  [
    'a header that the request makes',
    request('x', { headers: { Bcc: 'eve@gmail.com' } }),
    {},
    400,
    /generated from/,
  ],
  ['a subject of two lines', request('a\nb'), {}, 400, /line breaks/],
  [
    'a media type with a line break',
    request('x', { attachments: [{ filename: 'a', content: 'YQ==', type: 'a/b\r\nX: y' }] }),
    {},
    400,
    /media type/,
  ],
  [
    'content of a type that no mail is made of',
    request('x', { content: [{ type: 'text/calendar', value: 'x' }] }),
    {},
    400,
    /text\/plain/,
  ],
  ['a subject longer than a line', request('x'.repeat(999)), {}, 400, /998/],
  [
    'a file name of a megabyte',
    request('x', { attachments: [{ filename: 'a'.repeat(1_000_000), content: 'YQ==' }] }),
    {},
    400,
    /998/,
  ],
  [
    'the name of a field of a megabyte',
    request('x', { headers: { ['a'.repeat(1_000_000)]: {} } }),
    {},
    400,
    /^.{1,300}$/,
  ],
  ['an unknown path', request('x'), { path: 'v3/mail/sent' }, 404, /./],
  ['another method', null, { method: 'GET' }, 405, /POST/],
  ['too many levels', `{"a":${'['.repeat(30)}${']'.repeat(30)}}`, {}, 400, /levels/],
  [
    'more than 1,000 recipients',
    request('x', {
      personalizations: [{ to: to(...Array.from({ length: 1001 }, (_, i) => `a${i}@b.test`)) }],
    }),
    {},
    400,
    /1000/,
  ],
  [
    'more than 1,000 mails',
    request('x', { personalizations: Array.from({ length: 1001 }, () => ({ to: to('a@b.test') })) }),
    {},
    400,
    /1000/,
  ],
  [
    'mails that are much larger than their request',
    request('x', {
      content: [{ type: 'text/plain', value: 'x'.repeat(100_000) }],
      personalizations: Array.from({ length: 500 }, () => ({ to: to('a@b.test') })),
    }),
    {},
    400,
    /bytes in total/,
  ],
];

for (const [what, body, sent, status, message] of refused) {
  test(`${what} is refused in the shape of the provider, and nothing is stored`, async () => {
    const before = await mail.count();
    const answer = await send(body, sent);
    assert.equal(answer.status, status, JSON.stringify(answer.errors));
    assert.match(answer.errors[0]?.message ?? '', message);
    assert.equal(await mail.count(), before);
    assert.deepEqual(await found('x'), []);
  });
}

test('a body over the bound is refused while it comes, and the next request is taken', async () => {
  const { status, errors } = await send(
    request('large', { custom_args: { x: 'x'.repeat(33 * 1024 * 1024) } }),
  );
  assert.equal(status, 413);
  assert.match(errors[0]?.message ?? '', /at most/);
  assert.equal((await send(request('after the large one'))).status, 202);
});

test('a web session is no key: a page cannot send for the user', async () => {
  const headers = { authorization: '', cookie: mail.user.cookie };
  assert.equal((await send(request('by cookie'), { headers })).status, 401);
  assert.equal(
    (await send(request('by header'), { headers: { authorization: '', 'x-api-key': mail.user.key } })).status,
    401,
  );
});

test('unknown fields are ignored, and a name is no part of an address', async () => {
  const from = { email: 'shop@example.com', name: 'Eve" <eve@gmail.com>, "x\r\nBcc: eve@gmail.com' };
  assert.equal((await send(request('names', { from, unknown: { a: [1] } }))).status, 202);
  const [item] = await found('names');
  const message = await ok(mail.user.api.get(`/api/messages/${item.id}`));
  assert.equal(message.from.address, 'shop@example.com');
  assert.deepEqual(message.bcc, []);
  assert.deepEqual(message.envelope.rcpt_to, ['alice@gmail.com']);
});

test('mail to another user is captured, and never reaches them', async () => {
  const other = await createUser(mail.program);
  const subject = 'to another user';
  assert.equal(
    (await send(request(subject, { personalizations: [{ to: to(other.address, mail.user.address) }] })))
      .status,
    202,
  );
  assert.deepEqual(await found(subject, other.api), []);
  const items = await found(subject);
  assert.equal(items.length, 2, 'one for the own address, one captured');
  const { account_id } = items.find(
    (item: { account_id: number }) => item.account_id !== mail.user.account.id,
  );
  assert.equal((await ok(mail.user.api.get(`/api/accounts/${account_id}`))).address, inbox);
});

test('an invitation beside the text is part of the mail', async () => {
  const [text] = request('').content;
  const invitation = { type: 'text/calendar; method=REQUEST', value: 'BEGIN:VCALENDAR' };
  const amp = { type: 'text/x-amp-html', value: '<html amp4email></html>' };
  await send(request('Invitation', { content: [text, amp, invitation] }));
  const [item] = await found('Invitation');
  const { attachments } = await ok(mail.user.api.get(`/api/messages/${item.id}`));
  assert.deepEqual([attachments.length, attachments[0].content_type], [1, 'text/calendar']);
});

test('without a capture account a foreign address is refused, and the answer says what to do', async () => {
  const other = await createUser(mail.program);
  const { status, errors } = await send(request('nowhere'), { key: other.key });
  assert.equal(status, 400);
  assert.match(errors[0]?.message ?? '', /alice@gmail\.com: .*no capture account/);
});

test('a thousand recipients of one mail are one message', async () => {
  const many = Array.from({ length: 1000 }, (_, index) => `user${index}@gmail.com`);
  assert.equal((await send(request('many', { personalizations: [{ to: to(...many) }] }))).status, 202);
  const [item, ...others] = await found('many');
  assert.deepEqual(others, []);
  const { envelope } = await ok(mail.user.api.get(`/api/messages/${item.id}`));
  assert.equal(envelope.rcpt_to.length, 1000);
});

test('a thousand personalizations are a thousand messages, whose requests are shown in part', async () => {
  const personalizations = Array.from({ length: 1000 }, (_, index) => ({ to: to(`user${index}@gmail.com`) }));
  assert.equal((await send(request('personalized', { personalizations }))).status, 202);
  const { items, pagination } = await ok(mail.user.api.get('/api/messages?subject=personalized&limit=1'));
  assert.equal(pagination.total, 1000);
  const { submission } = await ok(mail.user.api.get(`/api/messages/${items[0].id}`));
  assert.ok(submission.request.length <= (4 * 1024 * 1024) / 1000);
});

test('requests over the rate limit are told so as the provider would', async () => {
  const limited = await startMailProgram({ SANDPOST_RATE_LIMIT: '8' });
  try {
    const url = `${limited.program.baseUrl}/providers/sendgrid/v3/mail/send`;
    const headers = { authorization: `Bearer ${limited.user.key}`, 'content-type': 'application/json' };
    let answer = await fetch(url, { method: 'POST', headers, body: '{}' });
    for (let count = 0; count < 8 && answer.status !== 429; count += 1) {
      answer = await fetch(url, { method: 'POST', headers, body: '{}' });
    }
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    const { errors } = (await answer.json()) as { errors: { message: string }[] };
    assert.match(errors[0]?.message ?? '', /requests in one minute/);
  } finally {
    await limited.stop();
  }
});

test('a request whose mails have no room together is refused before any is stored', async () => {
  const other = await createUser(mail.program, { storage_limit: 150_000 });
  const content = [{ type: 'text/plain', value: 'x'.repeat(100_000) }];
  const personalizations = [{ to: to(other.address) }, { to: to(other.address) }];
  const { status, errors } = await send(request('no room', { content, personalizations }), {
    key: other.key,
  });
  assert.equal(status, 400);
  assert.match(errors[0]?.message ?? '', /belongs to a full account/);
  assert.deepEqual(await found('no room', other.api), []);
});

test('a raw mail shows no blind copy, and variables of its recipients add no header field', async () => {
  const post = async (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ to: 'alice@gmail.com', ...fields }))
      form.append(name, value);
    const url = `${mail.program.baseUrl}/providers/mailgun/v3/shop.test/messages.mime`;
    const authorization = `Basic ${btoa(`api:${mail.user.key}`)}`;
    return (await fetch(url, { method: 'POST', headers: { authorization }, body: form })).status;
  };
  const head = 'From: shop@example.com\nSubject: raw copies';
  for (const rest of [
    '\nBcc: eve@gmail.com',
    '\nBcc: a@b.test,\n eve@gmail.com\n\nx',
    '\nResent-Bcc: eve@gmail.com\n\nx',
  ]) {
    assert.equal(await post({ message: head + rest }), 200);
  }
  const messages = await found('raw copies');
  assert.equal(messages.length, 3);
  for (const { id } of messages) assert.doesNotMatch((await mail.raw(id)).toString(), /eve/);
  const variables = JSON.stringify({ 'alice@gmail.com': { n: 'x\r\nX-Injected: yes' } });
  const message = 'From: shop@example.com\nSubject: %recipient.n%\n\nx';
  assert.equal(await post({ message, 'recipient-variables': variables }), 400);
});

test('a quoted recipient is taken, and none with dots in a row without quotes', async () => {
  const odd = ['".a..b."@docomo.example', '"a b"@gmail.com', '"a@b, c"@gmail.com'];
  const sent = (...addresses: string[]) =>
    send(request('quoted', { personalizations: [{ to: to(...addresses) }] }));
  assert.equal((await sent('a..b.@docomo.example')).status, 400);
  assert.equal((await sent(...odd)).status, 202);
  const [item] = await found('quoted');
  assert.deepEqual((await ok(mail.user.api.get(`/api/messages/${item.id}`))).envelope.rcpt_to, odd);
});
