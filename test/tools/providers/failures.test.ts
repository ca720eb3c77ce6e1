import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam, keyOf, type SharedTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: ada } = await scene();

type Team = SharedTeam & { key: string };

/** Creates a team whose account captures. Its key sends. */
async function sender(name: string): Promise<Team> {
  const team = await createTeam(program, ada, name);
  await ok(
    team.api.patch(`/api/accounts/${team.account.id}`, { is_capture: true, simulates_failures: true }),
  );
  return { ...team, key: (await keyOf(program, team.api, { scope: 'send' })).key };
}

type Mail = { from: string; to: string; subject?: string };

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** Provider requests to send one email. */
const requests: Record<string, (key: string, mail: Mail) => [path: string, headers: object, body: object]> = {
  sendgrid: (key, { from, to, subject = 'Hello' }) => [
    'v3/mail/send',
    { authorization: `Bearer ${key}` },
    {
      ...{ personalizations: [{ to: [{ email: to }] }], from: { email: from }, subject },
      content: [{ type: 'text/plain', value: 'Hello' }],
    },
  ],
  postmark: (key, { from, to, subject = 'Hello' }) => [
    'email',
    { 'x-postmark-server-token': key },
    { From: from, To: to, Subject: subject, TextBody: 'Hello' },
  ],
  mailgun: (key, { from, to, subject = 'Hello' }) => [
    'v3/app.test/messages',
    { authorization: basic(`api:${key}`), 'content-type': 'application/x-www-form-urlencoded' },
    { from, to, subject, text: 'Hello' },
  ],
  resend: (key, { from, to, subject = 'Hello' }) => [
    'emails',
    { authorization: `Bearer ${key}` },
    { from, to, subject, text: 'Hello' },
  ],
  ses: (key, { from, to, subject = 'Hello' }) => [
    'v2/email/outbound-emails',
    { authorization: `AWS4-HMAC-SHA256 Credential=${key}/x/ses/aws4_request, SignedHeaders=h, Signature=s` },
    {
      ...{ FromEmailAddress: from, Destination: { ToAddresses: [to] } },
      Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: 'Hello' } } } },
    },
  ],
  mailjet: (key, { from, to, subject = 'Hello' }) => [
    'v3.1/send',
    { authorization: basic(`${key}:x`) },
    { Messages: [{ From: { Email: from }, To: [{ Email: to }], Subject: subject, TextPart: 'Hello' }] },
  ],
  brevo: (key, { from, to, subject = 'Hello' }) => [
    'v3/smtp/email',
    { 'api-key': key },
    { sender: { email: from }, to: [{ email: to }], subject, textContent: 'Hello' },
  ],
  mailersend: (key, { from, to, subject = 'Hello' }) => [
    'v1/email',
    { authorization: `Bearer ${key}` },
    { from: { email: from }, to: [{ email: to }], subject, text: 'Hello' },
  ],
};

async function send({ key, address }: Team, provider: string, mail: Partial<Mail> & { more?: object } = {}) {
  const { to = 'bob@elsewhere.test', from = address, more = {}, ...rest } = mail;
  const [path, headers, body] = requests[provider]?.(key, { from, to, ...rest }) ?? ['', {}, {}];
  const isForm = 'content-type' in headers;
  const answer = await fetch(`${program.baseUrl}/providers/${provider}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isForm ? new URLSearchParams({ ...body }) : JSON.stringify({ ...body, ...more }),
  });
  const text = await answer.text();
  const told: Json = text === '' ? null : JSON.parse(text);
  return { status: answer.status, told, headers: answer.headers };
}

/** Returns the kinds of a team's reports, newest first, with the diagnostics. */
async function reports({ api }: Team): Promise<string[]> {
  const { items } = await ok(api.get('/api/messages?limit=200'));
  const whole = await Promise.all(items.map(({ id }: Json) => ok(api.get(`/api/messages/${id}`))));
  return whole.flatMap(({ report }: Json) => {
    const [recipient] = report?.recipients ?? [];
    return report ? `${report.kind} ${recipient?.diagnostic ?? ''}`.trim() : [];
  });
}

test('each provider fails in its own words, and takes the retry', async () => {
  const team = await sender('words');
  const shapes: Record<string, (told: Json) => [unknown, unknown?]> = {
    sendgrid: ({ errors }) => [errors[0].message, errors[0].field],
    postmark: ({ Message, ErrorCode }) => [Message, ErrorCode],
    mailgun: ({ message }) => [message],
    resend: ({ message, name }) => [message, name],
    ses: ({ message }) => [message],
    mailjet: ({ ErrorMessage, StatusCode }) => [ErrorMessage, StatusCode],
    brevo: ({ message, code }) => [message, code],
    mailersend: ({ message }) => [message],
  };
  const codes: Record<string, [unknown, unknown]> = {
    sendgrid: [null, null],
    postmark: [429, 100],
    resend: ['rate_limit_exceeded', 'service_unavailable'],
    mailjet: [429, 503],
    brevo: ['too_many_requests', 'internal_server_error'],
  };
  for (const [provider, shape] of Object.entries(shapes)) {
    for (const [at, reply] of ['429 Too many requests', '503 Not now'].entries()) {
      const id = (await ok(team.api.post('/api/failures', { stage: 'api', reply, times: 1 }))).id;
      const { status, told, headers } = await send(team, provider);
      assert.equal(status, at === 0 ? 429 : 503, provider);
      const [text, code] = shape(told);
      assert.equal(text, reply.slice(4), provider);
      assert.equal(code, codes[provider]?.[at], provider);
      assert.equal(headers.get('retry-after'), '1', provider);
      assert.ok((await send(team, provider)).status < 300, provider);
      const { hits, attempts } = await ok(team.api.get(`/api/failures/${id}`));
      assert.deepEqual([hits, attempts.map((one: Json) => one.reply)], [1, [reply, null]], provider);
      assert.deepEqual(attempts[0].rcpt_to, ['bob@elsewhere.test']);
      await ok(team.api.delete(`/api/failures/${id}`));
    }
  }
});

test('a provider that throttles says when to try again', async () => {
  const team = await sender('throttled');
  await ok(team.api.post('/api/failures', { stage: 'api', reply: '429 Slow down' }));
  for (const [provider, name] of [
    ['sendgrid', 'x-ratelimit-remaining'],
    ['resend', 'ratelimit-remaining'],
    ['brevo', 'x-sib-ratelimit-remaining'],
    ['mailersend', 'x-ratelimit-remaining'],
  ] as const)
    assert.equal((await send(team, provider)).headers.get(name), '0', provider);
  assert.equal((await send(team, 'ses')).headers.get('x-amzn-errortype'), 'TooManyRequestsException');
});

test('a rule at the API looks at the mail, and others of it are taken', async () => {
  const team = await sender('looks');
  const match = { q: 'subject:receipt', address: 'bob@elsewhere.test' };
  await ok(team.api.post('/api/failures', { stage: 'api', match, reply: '500 Broken' }));
  assert.equal((await send(team, 'postmark', { subject: 'A receipt' })).status, 500);
  assert.equal((await send(team, 'postmark', { subject: 'Hello' })).status, 200);
  assert.equal((await send(team, 'postmark', { subject: 'Receipt', to: 'eve@elsewhere.test' })).status, 200);
  assert.equal((await ok(team.api.get('/api/messages'))).items.length, 2);
});

test('the connection of a request ends without an answer, or is delayed and goes on', async () => {
  const team = await sender('cut');
  for (const action of ['drop', 'reset']) {
    const { id } = await ok(team.api.post('/api/failures', { stage: 'api', action }));
    await assert.rejects(send(team, 'resend'), /fetch failed/);
    await ok(team.api.delete(`/api/failures/${id}`));
  }
  let items: Json[] = [];
  await until(async () => {
    ({ items } = await ok(team.api.get('/api/refusals')));
    return items.length === 2;
  });
  const told = {
    stage: 'api',
    reason: 'on-purpose',
    mail_from: team.address,
    rcpt_to: ['bob@elsewhere.test'],
  };
  assert.partialDeepStrictEqual(items, [
    { ...told, reply: 'Connection reset on purpose' },
    { ...told, reply: 'Connection closed on purpose' },
  ]);
  await ok(team.api.post('/api/failures', { stage: 'api', action: 'delay', delay_ms: 10 }));
  assert.equal((await send(team, 'resend')).status, 200);
  // Composed in another thread because of its size.
  const large = await send(team, 'resend', { more: { text: 'Hello '.repeat(200_000) } });
  assert.equal(large.status, 200);
  assert.equal((await ok(team.api.get('/api/messages'))).items.length, 2);
});

test('what a listener would refuse is taken, and reported to the sender', async () => {
  const team = await sender('reported');
  const { api, address, domain } = team;
  await ok(
    api.post('/api/failures', { match: { address: 'a@elsewhere.test' }, reply: '550 5.1.1 No such user' }),
  );
  await ok(
    api.post('/api/failures', { match: { q: 'subject:later' }, stage: 'end', reply: '452 4.2.2 Full' }),
  );
  assert.equal((await send(team, 'resend', { to: 'a@elsewhere.test' })).status, 200);
  assert.equal((await send(team, 'resend', { subject: 'Later' })).status, 200);
  assert.equal((await send(team, 'resend', { to: `qa+fail-dsn-5.2.1@${domain.domain}` })).status, 200);
  const sending = { to: [`qa+fail-550@${domain.domain}`], subject: 'Hello', text: 'Hello' };
  await ok(api.post(`/api/accounts/${team.account.id}/messages/send`, sending));
  assert.deepEqual(
    (await reports(team)).map((text) => /\w+ .*?(\d{3} \d\.\d\.\d.*)$/.exec(text)?.[1] ?? text),
    [
      '550 5.7.1 Refused on purpose',
      '550 5.2.1 Refused on purpose',
      '452 4.2.2 Full',
      '550 5.1.1 No such user',
    ],
  );
  assert.equal((await send(team, 'resend', { to: 'a@elsewhere.test', from: 'x@nobody.test' })).status, 200);
  assert.equal((await reports(team)).length, 4);
  assert.equal((await send(team, 'resend', { to: address })).status, 200);
});

test('the test addresses of a provider do what they do there, and are others nowhere else', async () => {
  const cases: [provider: string, to: string, wanted: RegExp | null, more?: object][] = [
    ['ses', 'success@simulator.amazonses.com', null],
    ['ses', 'bounce+run7@simulator.amazonses.com', /^failed .*550 5\.1\.1/],
    ['ses', 'suppressionlist@simulator.amazonses.com', /^failed .*550 5\.1\.1/],
    ['ses', 'OOTO@simulator.amazonses.com', /^autoreply/],
    ['ses', 'complaint@simulator.amazonses.com', /^complaint/],
    ['postmark', 'Hard_Bounce@bounce-testing.postmarkapp.com', /^failed .*550 5\.1\.1/],
    ['postmark', 'softbounce@bounce-testing.postmarkapp.com', /^delayed .*452 4\.2\.2/],
    ['postmark', 'blocked@bounce-testing.postmarkapp.com', /^failed .*550 5\.7\.1/],
    ['postmark', 'spamnotification@bounce-testing.postmarkapp.com', /^failed .*550 5\.7\.1/],
    [
      'postmark',
      'any@bounce-testing.postmarkapp.com',
      /^autoreply/,
      { Headers: [{ Name: 'X-PM-Bounce-Type', Value: 'AutoResponder' }] },
    ],
    ['resend', 'delivered@resend.dev', null],
    ['resend', 'bounced+run7@resend.dev', /^failed .*550 5\.1\.1/],
    ['resend', 'complained@resend.dev', /^complaint/],
    ['sendgrid', 'bounced@resend.dev', null],
    ['resend', 'constructor@resend.dev', null],
  ];
  const team = await sender('magic');
  for (const [provider, to, wanted, more = {}] of cases) {
    const before = await reports(team);
    assert.ok((await send(team, provider, { to, more })).status < 300, to);
    const now = await reports(team);
    assert.equal(now.length, before.length + (wanted === null ? 0 : 1), to);
    if (wanted !== null) assert.match(now[0] ?? '', wanted, to);
  }
  const { pagination } = await ok(team.api.get('/api/messages'));
  assert.equal((await send(team, 'sendgrid', { to: 'any+x@sink.sendgrid.net' })).status, 202);
  assert.equal((await ok(team.api.get('/api/messages'))).pagination.total, pagination.total);
});
