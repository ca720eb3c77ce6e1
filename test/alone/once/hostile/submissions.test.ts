import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { openSocket, statuses } from '#test/support/hostile/raw-request.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const mail = await forAllTests(startMailProgram({}));
const victim = await createUser(mail.program);
const address = `inbox@${mail.user.domain.domain}`;
await ok(mail.user.api.post('/api/accounts', { address, is_capture: true, storage_limit: 10_000_000_000 }));

type Attack = {
  path: string;
  type?: string;
  body: () => string | FormData;
  times?: number;
  expected: number[];
};

const sendgrid = 'sendgrid/v3/mail/send';
const mailgun = 'mailgun/v3/shop.test/messages';
const form = 'application/x-www-form-urlencoded';

/** SendGrid request with other fields. */
const mailOf = (fields: object) =>
  JSON.stringify({
    personalizations: [{ to: [{ email: 'alice@gmail.com' }] }],
    from: { email: 'shop@example.com' },
    subject: 'x',
    content: [{ type: 'text/plain', value: 'x' }],
    ...fields,
  });
const everybody = (count: number, own: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ to: [{ email: `user${index}@gmail.com` }], ...own }));
const text = (value: string) => ({ content: [{ type: 'text/plain', value }] });

/** Returns the user's key in the form that the provider accepts. */
function credentialsOf(path: string): string {
  if (path === sendgrid) return `Bearer ${mail.user.key}`;
  if (path === 'ses')
    return `AWS4-HMAC-SHA256 Credential=${mail.user.key}/20261123/us-east-1/ses/aws4_request`;
  return `Basic ${btoa(`api:${mail.user.key}`)}`;
}

const attacks: Record<string, Attack> = {
  'a thousand mails in each of four requests': {
    path: sendgrid,
    body: () => mailOf({ personalizations: everybody(1000) }),
    times: 4,
    expected: [202],
  },
  'mails that are much larger than their requests': {
    path: sendgrid,
    body: () => mailOf({ personalizations: everybody(1000), ...text('x'.repeat(1_000_000)) }),
    times: 4,
    expected: [400],
  },
  'substitutions that make a text grow': {
    path: sendgrid,
    body: () =>
      mailOf({
        personalizations: everybody(1000, { substitutions: { a: 'x'.repeat(9_000) } }),
        ...text('a'.repeat(1_000_000)),
      }),
    expected: [400],
  },
  'a thousand recipients of each of twenty mails': {
    path: sendgrid,
    body: () => mailOf({ personalizations: [{ to: everybody(1000).map(({ to: [one] }) => one) }] }),
    times: 20,
    expected: [202],
  },
  'an attachment of 18 MB': {
    path: sendgrid,
    body: () => mailOf({ attachments: [{ filename: 'a', content: 'A'.repeat(24_000_000) }] }),
    expected: [202],
  },
  'an attachment of white space': {
    path: sendgrid,
    body: () => mailOf({ attachments: [{ filename: 'a', content: `${' '.repeat(26_000_000)}!` }] }),
    expected: [400],
  },
  'as many values as a body may have': {
    path: sendgrid,
    body: () => mailOf({ categories: Array(99_000).fill({}) }),
    times: 4,
    expected: [202, 400],
  },
  'a form of millions of fields': {
    path: mailgun,
    type: form,
    body: () => 'a=b&'.repeat(7_000_000),
    expected: [400],
  },
  'a form of a field of 30 MB that is escaped': {
    path: mailgun,
    type: form,
    body: () => `text=${'%41'.repeat(10_000_000)}`,
    expected: [400],
  },
  'a form that has the name of an action two million times': {
    path: 'ses',
    type: form,
    body: () => 'xAction=SendEmail'.repeat(1_900_000),
    expected: [400],
  },
  'a file name of ten megabytes': {
    path: sendgrid,
    body: () => mailOf({ attachments: [{ filename: 'a"'.repeat(5_000_000), content: 'YQ==' }] }),
    times: 3,
    expected: [400],
  },
  'a form of thousands of files': {
    path: mailgun,
    body() {
      const data = new FormData();
      for (let count = 0; count < 4000; count += 1) data.append('attachment', new Blob(['x']), 'a.txt');
      return data;
    },
    expected: [400],
  },
  'blind copies of each of a thousand mails to ten thousand': {
    path: mailgun,
    type: form,
    body() {
      const list = (letter: string, count: number) =>
        Array.from({ length: count }, (_, index) => `${letter}${index}@gmail.com`).join();
      const fields = { from: 'shop@example.com', subject: 'x', text: 'x', to: list('a', 1000) };
      const copies = Array.from({ length: 10 }, (_, index): [string, string] => [
        'bcc',
        list(`b${index}-`, 1000),
      ]);
      return new URLSearchParams([
        ...Object.entries(fields),
        ['recipient-variables', '{}'],
        ...copies,
      ]).toString();
    },
    times: 4,
    expected: [400],
  },
  'variables of a thousand recipients that fill in a long text': {
    path: mailgun,
    type: form,
    body() {
      const to = Array.from({ length: 1000 }, (_, index) => `user${index}@gmail.com`);
      const variables = Object.fromEntries(to.map((address) => [address, { a: 'x'.repeat(1000) }]));
      return new URLSearchParams([
        ['from', 'shop@example.com'],
        ['subject', 'x'],
        ['text', '%recipient.a%'.repeat(50_000)],
        ['recipient-variables', JSON.stringify(variables)],
        ...to.map((address): [string, string] => ['to', address]),
      ]).toString();
    },
    expected: [400],
  },
};

test('nobody is harmed by signatures of AWS that nobody made, sent without a key', async () => {
  const authorization = `AWS4-X ${'credential='.repeat(1350)}`;
  const head = ['POST /providers/ses/v2/email/outbound-emails HTTP/1.1', 'Host: x', 'Content-Length: 0'];
  const one = `${[...head, `Authorization: ${authorization}`].join('\r\n')}\r\n\r\n`;
  const harm = await measureHarm(mail.program, victim, async () => {
    for (let count = 0; count < 8; count += 1) {
      const socket = await openSocket(mail.program);
      socket.write(one.repeat(30));
      assert.ok((await statuses(socket, 30)).every((status) => [401, 403].includes(status)));
      socket.destroy();
    }
  });
  assertUnharmed(harm);
});

for (const [name, { path, type, body, times = 1, expected }] of Object.entries(attacks)) {
  test(`nobody is harmed by ${name}`, async () => {
    const sent = body();
    const credentials = credentialsOf(path);
    const json = path === sendgrid ? { 'content-type': 'application/json' } : {};
    const headers = { authorization: credentials, ...json, ...(type && { 'content-type': type }) };
    const post = async () => {
      const answer = await fetch(`${mail.program.baseUrl}/providers/${path}`, {
        method: 'POST',
        headers,
        body: sent,
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const harm = await measureHarm(mail.program, victim, async () => {
      const statuses = await Promise.all(Array.from({ length: times }, post));
      // A request that takes the thread too long, or arrives while too many bytes are held, is asked to retry later.
      assert.ok(
        statuses.every((status) => [...expected, 503].includes(status)),
        `${statuses}`,
      );
      assert.ok(times > 1 || statuses.some((status) => expected.includes(status)), `${statuses}`);
    });
    assertUnharmed(harm, { memoryBytes: 300e6 });
  });
}
