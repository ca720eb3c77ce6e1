import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDirect } from './direct.ts';

const direct = startDirect('');

/** Sends a SendGrid request with other fields and recipients. */
const sendgrid = (more: object, people: object = { to: [{ email: 'alice@gmail.com' }] }) =>
  direct.post('sendgrid/v3/mail/send', {
    personalizations: [people],
    from: { email: 'shop@example.com' },
    subject: 'Sandbox',
    content: [{ type: 'text/plain', value: 'Hello' }],
    ...more,
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

test('a sandbox mode changes nothing: the email is stored', async () => {
  const sandbox = { mail_settings: { sandbox_mode: { enable: true } } };
  assert.equal((await sendgrid({ ...sandbox, subject: 'SendGrid sandbox' })).status, 202);
  const { key } = direct.access();
  const body = new URLSearchParams({
    ...{ from: 'shop@example.com', to: 'alice@gmail.com', subject: 'Mailgun sandbox', text: 'Hello' },
    'o:testmode': 'yes',
  });
  const headers = { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` };
  const path = 'mailgun/v3/example.com/messages';
  assert.equal((await direct.call('POST', path, { headers, body })).status, 200);
  for (const subject of ['SendGrid sandbox', 'Mailgun sandbox'])
    assert.equal((await direct.arrived(subject)).length, 1, subject);
});
