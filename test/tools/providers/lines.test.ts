import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { providerSnippets } from '#api/web/start/provider-snippets.ts';
import { withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';

const clients = fileURLToPath(new URL('clients', import.meta.url));

const mail = await startMailProgram();
const address = `inbox@${mail.user.domain.domain}`;
await ok(mail.user.api.post('/api/accounts', { address, is_capture: true }));

/** Code that sends an email with the client that the page's lines create. */
const sends: Record<string, string> = {
  SendGrid: `await sendgrid.send({ from: 'shop@example.com', to: 'alice@gmail.com', subject: 'SendGrid', text: 'x' });`,
  Postmark: `await client.sendEmail({ From: 'shop@example.com', To: 'alice@gmail.com', Subject: 'Postmark', TextBody: 'x' });`,
  Mailgun: `await client.messages.create('shop.test', { from: 'shop@example.com', to: 'alice@gmail.com', subject: 'Mailgun', text: 'x' });`,
  Resend: `import { Resend } from 'resend';
    const { error } = await new Resend().emails.send({ from: 'shop@example.com', to: 'alice@gmail.com', subject: 'Resend', text: 'x' });
    if (error) throw error;`,
  SES: `import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
    await new SESv2Client().send(new SendEmailCommand({
      FromEmailAddress: 'shop@example.com',
      Destination: { ToAddresses: ['alice@gmail.com'] },
      Content: { Simple: { Subject: { Data: 'SES' }, Body: { Text: { Data: 'x' } } } },
    }));`,
  Mailjet: `await client.post('send', { version: 'v3.1' }).request({ Messages: [{
      From: { Email: 'shop@example.com' }, To: [{ Email: 'alice@gmail.com' }], Subject: 'Mailjet', TextPart: 'x',
    }] });`,
  Brevo: `await client.transactionalEmails.sendTransacEmail({
      sender: { email: 'shop@example.com' }, to: [{ email: 'alice@gmail.com' }], subject: 'Brevo', textContent: 'x',
    });`,
  MailerSend: `import { EmailParams, Recipient, Sender } from 'mailersend';
    const params = new EmailParams().setFrom(new Sender('shop@example.com', 'Shop'));
    await client.email.send(params.setTo([new Recipient('alice@gmail.com', 'Alice')]).setSubject('MailerSend').setText('x'));`,
};

for (const name of Object.keys(sends)) {
  const says = `the lines that the page shows for ${name} send here, and their mail has the trace of their request`;
  test(says, { skip: withoutNodeClients }, async () => {
    const { baseUrl } = mail.program;
    const shown = providerSnippets(baseUrl).find((snippet) => snippet.name === name);
    const text = (shown?.text ?? '').replaceAll('API_KEY', (word, at: number, whole: string) =>
      // Keeps API_KEY if it is part of a setting's name, as in RESEND_API_KEY.
      /[=']$/.test(whole.slice(0, at)) ? mail.user.key : word,
    );
    const isSettings = shown?.file === '.env';
    const settings = isSettings ? Object.fromEntries(text.split('\n').map((line) => line.split('='))) : {};
    const code = `${isSettings ? '' : text}\n${sends[name]}`;
    const traces = await runTraced(code, settings);
    const { items } = await ok(mail.user.api.get(`/api/messages?subject=${name}&wait=10`));
    assert.equal(items.length, 1);
    assert.ok(traces.includes(items[0].trace_id), `${items[0].trace_id} is none of ${traces}`);
  });
}

test('the lines of docs/traces.md give a mail of nodemailer its trace', {
  skip: withoutNodeClients,
}, async () => {
  const [, imports = '', lines = ''] =
    /```js\n(import .*?\n)\n(.*?)```/s.exec(readFileSync('docs/traces.md', 'utf8')) ?? [];
  const words = { from: 'shop@example.com', to: address, subject: 'nodemailer', text: 'x' };
  const code = `${imports}
    import { trace } from '@opentelemetry/api';
    import nodemailer from 'nodemailer';
    const transport = nodemailer.createTransport({ host: '127.0.0.1', port: ${mail.program.smtpPort}, ignoreTLS: true });
    const { from, to, subject, text } = ${JSON.stringify(words)};
    await trace.getTracer('shop').startActiveSpan('sign-up', async (span) => {
      ${lines}
      span.end();
    });`;
  const [traceId] = await runTraced(code);
  assert.match(traceId ?? '', /^[0-9a-f]{32}$/);
  const { items } = await ok(mail.user.api.get(`/api/messages?trace=${traceId}&wait=10`));
  const subjects = items.map(({ subject }: { subject: string }) => subject);
  assert.deepEqual(subjects, ['nodemailer']);
});

/** Runs code beside the clients, under OpenTelemetry's instrumentation of fetch and http. Returns its spans' traces. */
async function runTraced(code: string, settings: Record<string, string> = {}): Promise<string[]> {
  const args = ['--import=./tracing.mjs', '--input-type=module', '-e', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: clients,
    env: { ...process.env, ...settings },
  });
  return stdout.trim().split('\n');
}
