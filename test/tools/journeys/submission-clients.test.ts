import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const run = promisify(execFile);
const missing = (tool: string, version = '--version') =>
  spawnSync(tool, [version]).error ? `${tool} is not installed; test/setup.sh does it` : false;

const password = 'staging mail';
const mail = await forAllTests(
  startMailProgram({ SANDPOST_SMTP_TLS: 'self-signed', SANDPOST_SMTPS_PORT: '0' }),
);
const inbox: string = `inbox@${mail.user.domain.domain}`;
await ok(mail.user.api.post('/api/accounts', { address: inbox, password, is_capture: true }));

/** Checks that the email with this subject to alice@gmail.com was captured, and returns how it arrived. */
async function captured(subject: string) {
  const { items } = await ok(
    mail.user.api.get(`/api/messages?subject=${encodeURIComponent(subject)}&wait=10`),
  );
  assert.equal(items.length, 1, subject);
  const { envelope } = await ok(mail.user.api.get(`/api/messages/${items[0].id}`));
  assert.deepEqual(envelope.rcpt_to, ['alice@gmail.com']);
  return { by: envelope.authenticated_as?.name, tls: envelope.tls };
}

const modes: [name: string, args: () => string[], tls: boolean][] = [
  ['without TLS', () => ['--port', `${mail.program.smtpPort}`], false],
  ['with STARTTLS', () => ['--port', `${mail.program.smtpPort}`, '--tls'], true],
  ['with implicit TLS', () => ['--port', `${mail.program.smtpsPort}`, '--tls-on-connect'], true],
];

/** Returns the reason why a tool such as swaks cannot use TLS, or false. */
const withoutTls = (tool: string) =>
  /TLS supported/.test(spawnSync(tool, ['--support'], { encoding: 'utf8' }).stdout ?? '')
    ? false
    : 'Net::SSLeay is not installed; test/setup.sh does it';

for (const mechanism of ['PLAIN', 'LOGIN']) {
  for (const [name, args, tls] of modes) {
    test(`swaks signs in by ${mechanism} ${name}`, {
      skip: missing('swaks') || (tls && withoutTls('swaks')),
    }, async () => {
      const subject = `swaks ${mechanism} ${name}`;
      await run('swaks', [
        ...['--server', '127.0.0.1', '--from', 'shop@example.com', '--to', 'alice@gmail.com'],
        ...['--auth', mechanism, '--auth-user', inbox, '--auth-password', password],
        ...['--header', `Subject: ${subject}`, ...args()],
      ]);
      assert.deepEqual(await captured(subject), { by: inbox, tls });
    });
  }
}

const python = `
import smtplib, ssl, sys
mode, port, user, password = sys.argv[1:]
context = ssl._create_unverified_context()
client = smtplib.SMTP_SSL('127.0.0.1', int(port), context=context) if mode == 'implicit' else smtplib.SMTP('127.0.0.1', int(port))
if mode == 'starttls':
    client.starttls(context=context)
client.login(user, password)
client.sendmail('shop@example.com', ['alice@gmail.com'], 'Subject: smtplib ' + mode + '\\r\\n\\r\\nhello\\r\\n')
client.quit()
`;

for (const mode of ['plain', 'starttls', 'implicit']) {
  test(`Python's smtplib signs in by an API key, ${mode}`, { skip: missing('python3') }, async () => {
    const { smtpPort, smtpsPort } = mail.program;
    const port = `${mode === 'implicit' ? smtpsPort : smtpPort}`;
    await run('python3', ['-c', python, mode, port, 'apikey', mail.user.key]);
    assert.deepEqual(await captured(`smtplib ${mode}`), { by: 'tests', tls: mode !== 'plain' });
  });
}

const pythonTokens = `
import smtplib, ssl, sys
port, user, token = sys.argv[1:]
responses = {
    'XOAUTH2': f'user={user}\\x01auth=Bearer {token}\\x01\\x01',
    'OAUTHBEARER': f'n,a={user},\\x01host=127.0.0.1\\x01port={port}\\x01auth=Bearer {token}\\x01\\x01',
}
for mechanism, response in responses.items():
    for in_one_line in (True, False):
        client = smtplib.SMTP('127.0.0.1', int(port))
        client.starttls(context=ssl._create_unverified_context())
        client.ehlo()
        try:
            client.auth(mechanism, lambda challenge=None: '\\x01', initial_response_ok=in_one_line)
            sys.exit('a malformed response was taken')
        except smtplib.SMTPAuthenticationError as error:
            assert error.smtp_code == 501, error
        client.auth(mechanism, lambda challenge=None: response, initial_response_ok=in_one_line)
        client.sendmail('shop@example.com', ['alice@gmail.com'], f'Subject: by {mechanism} {in_one_line}\\r\\n\\r\\nhello\\r\\n')
        client.quit()
`;

test("Python's smtplib signs in by tokens", { skip: missing('python3') }, async () => {
  await run('python3', ['-c', pythonTokens, `${mail.program.smtpPort}`, 'app', mail.user.key]);
  for (const mechanism of ['XOAUTH2', 'OAUTHBEARER'])
    for (const inOneLine of ['True', 'False'])
      assert.deepEqual(await captured(`by ${mechanism} ${inOneLine}`), { by: 'tests', tls: true });
});

const go = `package main

import (
	"crypto/tls"
	"net/smtp"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	address, user, password := os.Args[1], os.Args[2], os.Args[3]
	client, err := smtp.Dial(address)
	check(err)
	check(client.StartTLS(&tls.Config{InsecureSkipVerify: true}))
	check(client.Auth(smtp.PlainAuth("", user, password, "127.0.0.1")))
	check(client.Mail("shop@example.com"))
	check(client.Rcpt("alice@gmail.com"))
	writer, err := client.Data()
	check(err)
	_, err = writer.Write([]byte("Subject: net/smtp\\r\\n\\r\\nhello\\r\\n"))
	check(err)
	check(writer.Close())
	check(client.Quit())
}
`;

test("Go's net/smtp signs in after STARTTLS", { skip: missing('go', 'version') }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-go-'));
  try {
    const file = path.join(folder, 'main.go');
    writeFileSync(file, go);
    await run('go', ['run', file, `127.0.0.1:${mail.program.smtpPort}`, inbox, password]);
    assert.deepEqual(await captured('net/smtp'), { by: inbox, tls: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('Nodemailer at its defaults signs in, and takes TLS where it is offered', async () => {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: '127.0.0.1',
    port: mail.program.smtpPort,
    auth: { user: inbox, pass: password },
    tls: { rejectUnauthorized: false },
  });
  await transport.sendMail({
    from: 'shop@example.com',
    to: 'alice@gmail.com',
    subject: 'nodemailer',
    text: 'x',
  });
  assert.deepEqual(await captured('nodemailer'), { by: inbox, tls: true });
});
