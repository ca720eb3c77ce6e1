import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pythonClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const run = promisify(execFile);
const bin = path.resolve(import.meta.dirname, '../../../bin/sandpost');
const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
const jars = path.join(cache, 'sandpost/angus-mail');
const sendByAngus = path.join(import.meta.dirname, 'angus-mail/Send.java');
const setUp = 'is not installed; test/setup.sh does it';

const inbox = 'inbox@frameworks.test';
const password = 'staging mail';
const mail = await forAllTests(startMailProgram({ SANDPOST_CAPTURE: inbox }));
const { api } = mail.user;
await ok(api.post('/api/domains', { domain: 'frameworks.test', mx_verified: true }));
await ok(api.post('/api/accounts', { address: inbox, password, is_capture: true }));

/** Checks that one email with this subject to alice@gmail.com was captured, and who had signed in. */
async function captured(subject: string, signedIn: string | null): Promise<void> {
  const { api } = mail.user;
  const { items } = await ok(api.get(`/api/messages?subject=${encodeURIComponent(subject)}&wait=10`));
  assert.equal(items.length, 1, subject);
  const { envelope, text } = await ok(api.get(`/api/messages/${items[0].id}`));
  assert.deepEqual(envelope.rcpt_to, ['alice@gmail.com']);
  assert.equal(envelope.authenticated_as?.name ?? null, signedIn);
  assert.match(text, /493817/);
}

test("PHP's mail() through `sandpost sendmail`", {
  skip: spawnSync('php', ['--version']).error ? `PHP ${setUp}` : false,
}, async () => {
  const script =
    "exit(mail('alice@gmail.com', 'PHP mail', 'Your code is 493817.', 'From: shop@example.com') ? 0 : 1);";
  const env = { ...process.env, SANDPOST_SMTP_PORT: String(mail.program.smtpPort) };
  await run('php', ['-d', `sendmail_path=${bin} sendmail -t -i`, '-r', script], { env });
  await captured('PHP mail', null);
});

/** Settings for Django's own mailer: host and port, and a user if it signs in. */
const django = `
import sys
from django.conf import settings
from django.core.mail import send_mail
port, subject, *user = sys.argv[1:]
settings.configure(EMAIL_HOST='127.0.0.1', EMAIL_PORT=int(port),
                   **dict(zip(['EMAIL_HOST_USER', 'EMAIL_HOST_PASSWORD'], user)))
send_mail(subject, 'Your code is 493817.', 'shop@example.com', ['alice@gmail.com'])
`;

for (const signsIn of [false, true]) {
  const how = signsIn ? 'signed in' : 'without a sign-in';
  const user = signsIn ? [inbox, password] : [];

  test(`Django's mailer at its defaults, ${how}`, { skip: withoutPythonClients }, async () => {
    const subject = `Django ${how}`;
    await run(pythonClients, ['-c', django, String(mail.program.smtpPort), subject, ...user]);
    await captured(subject, signsIn ? inbox : null);
  });

  test(`Angus Mail (Jakarta Mail) at its defaults, ${how}`, {
    skip: existsSync(jars) ? false : `Angus Mail ${setUp}`,
  }, async () => {
    const subject = `Angus ${how}`;
    const port = String(mail.program.smtpPort);
    await run('java', ['-cp', `${jars}/*`, sendByAngus, port, 'alice@gmail.com', subject, ...user]);
    await captured(subject, signsIn ? inbox : null);
  });
}

test('Angus Mail (Jakarta Mail) by XOAUTH2, with a password and with an API key as the token', {
  skip: existsSync(jars) ? false : `Angus Mail ${setUp}`,
}, async () => {
  const { key } = await ok(api.post('/api/tokens', { name: 'Angus', scope: 'send' }));
  const send = (subject: string, token: string) => {
    const settings = [String(mail.program.smtpPort), 'alice@gmail.com', subject, inbox, token, 'XOAUTH2'];
    return run('java', ['-cp', `${jars}/*`, sendByAngus, ...settings]);
  };
  await send('Angus XOAUTH2 password', password);
  await captured('Angus XOAUTH2 password', inbox);
  await send('Angus XOAUTH2 key', key);
  await captured('Angus XOAUTH2 key', 'Angus');
  await assert.rejects(send('Angus XOAUTH2 wrong', 'wrong'), /AuthenticationFailedException/);
});
