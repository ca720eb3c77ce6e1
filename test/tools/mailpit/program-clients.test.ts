import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { mailpitBinary, withoutMailpit } from '#test/bench/mailpit-binary.ts';
import { pythonClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';

const run = promisify(execFile);
const dev = await forAllTests(startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() }));
const url = `http://127.0.0.1:${dev.ports.http}`;
const { PATH, HOME } = process.env;
const env = { PATH, HOME, MAILPIT_URL: url, SMTP_PORT: `${dev.ports.smtp}`, PYTHONDONTWRITEBYTECODE: '1' };
const send = (subject: string) =>
  deliver({ smtpPort: dev.ports.smtp }, { to: 'ada@example.org', subject, text: 'Code 493817' });

beforeEach(async () => {
  await fetch(`${url}/api/v1/messages`, { method: 'DELETE' });
});

/**
 * mailpit-api-client calls that a Mailpit 1.33.1 answers as the client expects. That Mailpit refuses the client's changes, which are a
 * form, and its messages and headers lack fields that the client needs.
 */
const calls = `
import os
import httpx
import mailpit.client.api as api

client = api.API(os.environ["MAILPIT_URL"])
[first] = client.get_messages(limit=10, start=0).messages
assert first.subject == "Hello" and not first.read
for change in (lambda: client.delete_messages([first.id]), lambda: client.put_messages([first.id], "Read", True)):
    try:
        change()
        raise AssertionError("a form was taken")
    except httpx.HTTPStatusError as error:
        assert error.response.status_code == 400
`;

test('mailpit-api-client of PyPI reads mail', { skip: withoutPythonClients }, async () => {
  await send('Hello');
  await run(pythonClients, ['-c', calls], { env });
});

test('Mailpit’s own programs, in Go, send mail, and skip ids other than theirs', {
  skip: withoutMailpit,
}, async () => {
  const folder = await temporaryDir();
  const mail = path.join(folder, 'mail.eml');
  await writeFile(
    mail,
    'From: shop@example.com\r\nTo: ada@example.org\r\nSubject: Ingested\r\n\r\nHello\r\n',
  );
  await run(mailpitBinary(), ['ingest', '-S', `127.0.0.1:${dev.ports.smtp}`, mail], { env });
  await run(mailpitBinary(), ['readyz'], { env: { ...env, MP_UI_BIND_ADDR: new URL(url).host } });
  const raw = await fetch(`${url}/api/v1/message/latest/raw`);
  assert.match(await raw.text(), /^Subject: Ingested\r$/m);
  const dumped = await run(mailpitBinary(), ['dump', path.join(folder, 'out'), '--http', url], { env });
  assert.match(dumped.stderr + dumped.stdout, /skipping message with invalid ID/);
});
