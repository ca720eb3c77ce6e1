import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { mailpitBinary, withoutMailpit } from '#test/bench/mailpit-binary.ts';
import { without } from '#test/support/clients/languages.ts';
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

/** Project of a user who tests with pytest-mailpit. It says nothing of Sandpost. */
const project = `
import os, smtplib
from email.message import EmailMessage
import pytest


def send(to, subject):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "shop@example.com", to, subject
    mail["List-Unsubscribe"] = "<https://shop.example/u>"
    mail.set_content("Your code is 493817. https://shop.example/verify?t=1")
    mail.add_alternative('<p>Your code is <b>493817</b></p>', subtype="html")
    mail.add_attachment(b"abc", maintype="application", subtype="pdf", filename="a.pdf")
    with smtplib.SMTP("127.0.0.1", int(os.environ["SMTP_PORT"])) as server:
        server.send_message(mail)


def test_waits_for_code_link_and_attachment(mailpit_inbox):
    send(mailpit_inbox.address, "Welcome")
    message = mailpit_inbox.wait_for_message(subject="Welcome")
    assert message.code() == "493817"
    assert message.link() == "https://shop.example/verify?t=1"
    assert message.unsubscribe_link() == "https://shop.example/u"
    assert message.check_html().warnings is not None
    assert len(mailpit_inbox.messages()) == 1
    mailpit_inbox.clear()
    mailpit_inbox.assert_no_message(within=0)


def test_waits_for_two(mailpit_inbox):
    send(mailpit_inbox.address, "one")
    send(mailpit_inbox.address, "two")
    assert len(mailpit_inbox.wait_for_messages(2)) == 2


def test_reads_and_changes(mailpit):
    send("ada@example.org", "Read me")
    message = mailpit.wait_for_message("ada@example.org", subject="Read me")
    assert mailpit.is_ready() and mailpit.info().messages >= 1
    assert mailpit.get_headers(message.id)["Subject"] == ["Read me"]
    assert b"Subject: Read me" in mailpit.get_raw(message.id)
    assert mailpit.get_attachment(message.attachments[0]) == b"abc"
    mailpit.set_tags([message.id], ["red"])
    assert [one.id for one in mailpit.search_all("tag:red")] == [message.id]
    mailpit.mark_read([message.id], read=False)
    assert [one.id for one in mailpit.search("is:unread tag:red").messages] == [message.id]
    mailpit.delete_search("tag:red")
    mailpit.delete_messages([message.id])
    mailpit.delete_all()
    assert len(mailpit.messages().messages) == 0
`;

test('a project with pytest-mailpit of PyPI passes', { skip: withoutPythonClients }, async () => {
  const folder = await temporaryDir();
  await writeFile(path.join(folder, 'test_mail.py'), project);
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', folder];
  const { stdout } = await run(pythonClients, args, { cwd: folder, env }).catch(({ stdout }) => ({ stdout }));
  assert.match(stdout, /^3 passed/m, stdout);
});

/**
 * Calls of mailpit-api-client that a Mailpit 1.33.1 answers as the client expects. That Mailpit refuses the changes of the client,
 * which are a form, and its messages and headers lack fields that the client needs.
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

/** Loop as scripts of CI have it. */
const loop = `
set -eu
for attempt in $(seq 50); do
  count=$(curl -fsS "$MAILPIT_URL/api/v1/search?query=subject:Welcome" | sed -n 's/.*"messages_count":\\([0-9]*\\).*/\\1/p')
  [ "$count" = 0 ] || break
done
curl -fsS "$MAILPIT_URL/view/latest.txt?query=subject:Welcome" | grep -o '[0-9]\\{6\\}'
curl -fsS -X DELETE "$MAILPIT_URL/api/v1/messages"
`;

test('a loop of the shell with curl finds a code', { skip: without({ tool: 'curl' }) }, async () => {
  await send('Welcome');
  const { stdout } = await run('sh', ['-c', loop], { env });
  assert.equal(stdout, '493817\nok');
});
