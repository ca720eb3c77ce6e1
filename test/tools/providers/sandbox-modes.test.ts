import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDirect } from './direct.ts';

const direct = startDirect('');
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Sends a SendGrid request with other fields and recipients. */
const sendgrid = (more: object, people: object = { to: [{ email: 'alice@gmail.com' }] }) =>
  direct.post('sendgrid/v3/mail/send', {
    personalizations: [people],
    from: { email: 'shop@example.com' },
    subject: 'Sandbox',
    content: [{ type: 'text/plain', value: 'Hello' }],
    ...more,
  });

test('sendgrid: the sandbox mode answers 200, and stores nothing', async () => {
  const sandbox = (enable: unknown) => sendgrid({ mail_settings: { sandbox_mode: { enable } } });
  assert.equal((await sandbox(true)).status, 200);
  assert.equal(await direct.count(), 0);
  const refused = await sandbox('true');
  assert.equal(refused.status, 400);
  const message = 'The sandbox mode enable param should be a boolean value.';
  assert.deepEqual(refused.json.errors, [
    { message, field: 'mail_settings.sandbox_mode.enable', help: null },
  ]);
  assert.equal((await sandbox(false)).status, 202);
  assert.equal((await direct.arrived('Sandbox')).length, 1);
});

test('sendgrid: an address is refused twice in a personalization, and taken in two', async () => {
  const [lower, upper] = [{ email: 'alice@gmail.com' }, { email: 'Alice@Gmail.com' }];
  for (const [people, where] of [
    [{ to: [lower, upper] }, 'to'],
    [{ to: [lower], cc: [upper] }, 'cc'],
    [{ to: [lower], bcc: [upper] }, 'bcc'],
  ] as const) {
    const { status, json } = await sendgrid({}, people);
    assert.equal(status, 400);
    assert.deepEqual(json.errors, [
      {
        message: `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [Alice@Gmail.com] in the personalizations.0.${where} field.`,
        field: 'personalizations.0',
        help: 'http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html#message.recipient-errors',
      },
    ]);
  }
  const { json } = await sendgrid({}, { cc: [lower] });
  const [{ message, field }] = json.errors;
  assert.match(message, /^The to array is required for all personalization objects, and must have/);
  assert.equal(field, 'personalizations.0.to');
  const two = { personalizations: [{ to: [lower] }, { to: [upper] }], subject: 'Two personalizations' };
  assert.equal((await sendgrid(two)).status, 202);
  assert.equal((await direct.arrived('Two personalizations')).length, 2);
});

test('mailgun, mailjet, brevo: a sandbox mode answers as usual, and stores nothing', async () => {
  const before = await direct.count();
  const { key } = direct.access();
  const authorization = basic('api', key);
  const fields = { from: 'shop@example.com', to: 'alice@gmail.com', subject: 'Sandbox', text: 'Hello' };
  for (const mode of ['yes', 'true']) {
    const body = new URLSearchParams({ ...fields, 'o:testmode': mode });
    const path = 'mailgun/v3/example.com/messages';
    const { status, json } = await direct.call('POST', path, { headers: { authorization }, body });
    assert.deepEqual([status, json.message], [200, 'Queued. Thank you.']);
  }
  const raw = new FormData();
  raw.append('to', 'alice@gmail.com');
  raw.append('o:testmode', 'yes');
  raw.append(
    'message',
    new Blob(['From: shop@example.com\r\nSubject: Sandbox\r\n\r\nHello\r\n']),
    'mail.eml',
  );
  const mime = 'mailgun/v3/example.com/messages.mime';
  assert.equal((await direct.call('POST', mime, { headers: { authorization }, body: raw })).status, 200);

  const message = {
    From: { Email: 'shop@example.com' },
    To: [{ Email: 'alice@gmail.com' }],
    Subject: 'Sandbox',
    TextPart: 'Hello',
  };
  const mailjet = await direct.post(
    'mailjet/v3.1/send',
    { Messages: [message], SandboxMode: true },
    { authorization: basic(key, 'secret') },
  );
  assert.equal(mailjet.status, 200);
  const success = { Status: 'success', CustomID: '', To: [{ Email: 'alice@gmail.com' }], Cc: [], Bcc: [] };
  assert.deepEqual(mailjet.json, { Messages: [success] });

  const brevo = await direct.post(
    'brevo/v3/smtp/email',
    {
      sender: { email: 'shop@example.com' },
      to: [{ email: 'alice@gmail.com' }],
      subject: 'Sandbox',
      textContent: 'Hello',
      headers: { 'X-Sib-Sandbox': 'drop' },
    },
    { 'api-key': key },
  );
  assert.equal(brevo.status, 201);
  assert.match(brevo.json.messageId, /^<.+@.+>$/);
  assert.equal(await direct.count(), before);
});
