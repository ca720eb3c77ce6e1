import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { withoutMailpit } from '#test/bench/mailpit-binary.ts';
import { startMailpit } from '#test/bench/servers.ts';
import { without } from '#test/support/clients/languages.ts';
import { pythonClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';

const run = promisify(execFile);
const packages = path.join(import.meta.dirname, 'clients/node_modules');

/** Project of a user who tests with pytest-mailpit. It does not mention Sandpost. */
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

/** Project of a user who tests with Node's test runner and mailpit-api from npm. */
const inNode = `
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { MailpitClient } = require('mailpit-api');

const mailpit = new MailpitClient(process.env.MAILPIT_URL);

test('the welcome mail has a code', async () => {
  await mailpit.deleteMessages();
  const person = { Email: 'ada@example.org', Name: 'Ada' };
  await mailpit.sendMessage({ From: person, To: [person], Subject: 'Welcome', Text: 'Your code is 493817' });
  const { ID: id } = await mailpit.waitForMessage({ query: 'to:ada@example.org' }, { timeout: 20_000 });
  const { Subject: subject, Text: text } = await mailpit.getMessageSummary(id);
  assert.equal(subject, 'Welcome');
  assert.match(text, /\\b493817\\b/);
  assert.equal((await mailpit.searchMessages({ query: 'is:read' })).messages_count, 1);
  assert.match(await mailpit.getMessageSource(id), /^Subject: Welcome\\r$/m);
  await mailpit.deleteMessages({ IDs: [id] });
  assert.equal((await mailpit.listMessages()).total, 0);
});
`;

/** Loop as in CI scripts. */
const loop = `
set -eu
printf 'From: shop@example.com\\r\\nTo: ada@example.org\\r\\nSubject: Welcome\\r\\n\\r\\nCode 493817\\r\\n' |
  curl -fsS "smtp://127.0.0.1:$SMTP_PORT" --mail-from shop@example.com --mail-rcpt ada@example.org --upload-file -
for attempt in $(seq 50); do
  count=$(curl -fsS "$MAILPIT_URL/api/v1/search?query=subject:Welcome" | sed -n 's/.*"messages_count":\\([0-9]*\\).*/\\1/p')
  [ "$count" = 0 ] || break
done
curl -fsS "$MAILPIT_URL/view/latest.txt?query=subject:Welcome" | grep -o '[0-9]\\{6\\}'
curl -fsS -X DELETE "$MAILPIT_URL/api/v1/messages"
`;

type Server = { http: number; smtp: number };

/** Mailpit users' projects, which pass with a server whose address is all they know. */
function projectsWith(server: Server): void {
  const { PATH, HOME } = process.env;
  const url = `http://127.0.0.1:${server.http}`;
  const env = { PATH, HOME, MAILPIT_URL: url, SMTP_PORT: `${server.smtp}`, PYTHONDONTWRITEBYTECODE: '1' };
  const passed = (command: string, args: string[], cwd: string) =>
    run(command, args, { cwd, env }).catch(({ stdout }: { stdout: string }) => ({ stdout }));

  test('pytest, with pytest-mailpit of PyPI', { skip: withoutPythonClients }, async () => {
    const folder = await temporaryDir();
    await writeFile(path.join(folder, 'test_mail.py'), project);
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', folder];
    const { stdout } = await passed(pythonClients, args, folder);
    assert.match(stdout, /^3 passed/m, stdout);
  });

  test('the test runner of Node, with mailpit-api of npm', {
    skip: existsSync(packages) ? false : 'test/setup.sh, which installs clients of Mailpit, was not run',
  }, async () => {
    const folder = await temporaryDir();
    await writeFile(path.join(folder, 'mail.test.cjs'), inNode);
    await symlink(packages, path.join(folder, 'node_modules'));
    const { stdout } = await passed(
      process.execPath,
      ['--test', '--test-reporter=tap', 'mail.test.cjs'],
      folder,
    );
    assert.match(stdout, /^# pass 1$/m, stdout);
  });

  test('a loop of the shell with curl', { skip: without({ tool: 'curl' }) }, async () => {
    const { stdout } = await run('sh', ['-c', loop], { env });
    assert.equal(stdout, '493817\nok');
  });
}

describe('projects that pass with Sandpost', async () => {
  const dev = await forAllTests(startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() }));
  projectsWith(dev.ports);
});

describe('the same projects, which pass with Mailpit', { skip: withoutMailpit }, async () => {
  if (withoutMailpit) return;
  const mailpit = await startMailpit();
  after(mailpit.stop);
  projectsWith({ http: mailpit.httpPort, smtp: mailpit.smtpPort });
});
