import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';

const bin = path.resolve(import.meta.dirname, '../../../bin/sandpost');

const mail = await startMailProgram();

/** Runs `sandpost sendmail` with these arguments and this input. */
async function sendmail(args: string[], input: string, port = mail.program.smtpPort) {
  const child = spawn(bin, ['sendmail', ...args], {
    env: { ...process.env, SANDPOST_SMTP_PORT: `${port}` },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  // The process may end without reading its input if its arguments are wrong.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const stderr = await text(child.stderr);
  return { code: await ended, stderr };
}

/** Returns the newest message in full. */
async function newest() {
  const { api, account, inbox } = mail.user;
  const { items } = await ok(api.get(`/api/accounts/${account.id}/mailboxes/${inbox}/messages?limit=1`));
  const message = await ok(api.get(`/api/messages/${items[0].id}`));
  return { ...message, raw: (await mail.raw(items[0].id)).toString() };
}

test('PHP: -t -i with the recipients in the header, and a sender', async () => {
  const input = `To: QA <${mail.user.address}>\nSubject: from PHP\nX-Mailer: PHP\n\nhello\n.\nstill\n`;
  assert.deepEqual(await sendmail(['-t', '-i', '-fwww@sender.test'], input), { code: 0, stderr: '' });
  const message = await newest();
  assert.deepEqual([message.subject, message.envelope.mail_from], ['from PHP', 'www@sender.test']);
  assert.match(message.raw, /^From: www@sender\.test\r$/m);
  assert.match(message.raw, /^Date: .* \+0000\r$/m);
  assert.match(message.raw, /^Message-ID: <.+@sender\.test>\r$/m);
  assert.ok(message.raw.endsWith('\r\n\r\nhello\r\n.\r\nstill\r\n'));
});

test('addresses with quotes and dots reach their account', async () => {
  const { api, account, domain } = mail.user;
  await ok(api.patch(`/api/accounts/${account.id}`, { is_catch_all: true }));
  const odd = ['"a b"', '"a,b@c"', '.a..b.'].map((local) => `${local}@${domain.domain}`);
  const input = `To: QA <${odd[0]}>, ${odd[1]}\nSubject: odd\n\nhello\n`;
  assert.deepEqual(await sendmail(['-t', '-f"w w"@my_box', odd[2] ?? ''], input), { code: 0, stderr: '' });
  await ok(api.patch(`/api/accounts/${account.id}`, { is_catch_all: false }));
  const { envelope } = await newest();
  assert.deepEqual([envelope.mail_from, envelope.rcpt_to.sort()], ['"w w"@my_box', odd.sort()]);
});

test('cron: its options, a name, a dot that ends the input', async () => {
  const args = [
    '-FCronDaemon',
    '-B8BITMIME',
    '-oem',
    '-odi',
    '-q',
    '-f',
    'root@sender.test',
    mail.user.address,
  ];
  const input = `From: "(Cron Daemon)" <root>\nTo: root\nSubject: Cron <root@box> true\n\nnaïve\n.\nnot this\n`;
  assert.deepEqual(await sendmail(args, input), { code: 0, stderr: '' });
  const message = await newest();
  assert.equal(message.subject, 'Cron <root@box> true');
  assert.ok(message.raw.endsWith('\r\n\r\nnaïve\r\n'));
});

test('git send-email: -i and recipients, a patch with dots', async () => {
  const patch = `From: Ann <ann@sender.test>\nTo: ${mail.user.address}\nSubject: [PATCH] dots\n\n---\n ..\n+.\n.gitignore\n`;
  const { code } = await sendmail(['-f', 'ann@sender.test', '-i', '--', mail.user.address], patch);
  assert.equal(code, 0);
  const message = await newest();
  assert.deepEqual(message.from, { name: 'Ann', address: 'ann@sender.test' });
  assert.ok(message.raw.endsWith('---\r\n ..\r\n+.\r\n.gitignore\r\n'));
});

test('Bcc gets the mail and is not in it', async () => {
  const { domain, address, api } = mail.user;
  const blind = await ok(api.post('/api/accounts', { address: `blind@${domain.domain}` }));
  const input = `To: ${address}\nBcc: Blind One\n <${blind.address}>\nSubject: secret\n\nhello\n`;
  assert.equal((await sendmail(['-t'], input)).code, 0);
  const { raw } = await newest();
  assert.doesNotMatch(raw, /blind/i);
  assert.equal((await ok(api.get(`/api/accounts/${blind.id}`))).mailboxes[0].totalMessages, 1);
});

test('sends to all recipients or to none', async () => {
  const { address, api, account, domain } = mail.user;
  const count = async () => (await ok(api.get(`/api/accounts/${account.id}`))).mailboxes[0].totalMessages;
  const before = await count();
  const nobody = `nobody@${domain.domain}`;
  const input = 'Subject: all or none\n\nhello\n';
  for (const recipients of [
    [address, nobody],
    [nobody, address],
    [address, nobody, `nowhere@${domain.domain}`],
  ]) {
    const { code, stderr } = await sendmail(recipients, input);
    assert.equal(code, 67);
    assert.match(stderr, /^sendmail: nobody@\S+: 550 5\.1\.1 [^\n]+\n$/);
  }
  assert.equal(await count(), before);
});

test('sends a message of any octets and of many lines as it is', async () => {
  const body = `${'.'.repeat(3)}\n..\n\u00fcber\n${'x'.repeat(900)}\n`.repeat(500);
  assert.deepEqual(await sendmail(['-i', '-f', '', mail.user.address], `Subject: long\n\n${body}`), {
    code: 0,
    stderr: '',
  });
  const message = await newest();
  assert.equal(message.envelope.mail_from, '');
  assert.ok(message.raw.endsWith(`\r\n\r\n${body.replaceAll('\n', '\r\n')}`));
});

test('reports failures by its exit code', async () => {
  const { address, domain } = mail.user;
  const good = 'Subject: a\n\nb\n';
  const cases: [args: string[], input: string, code: number, stderr: RegExp, port?: number][] = [
    [[], good, 64, /no recipients/],
    [['-Z', address], good, 64, /Z/],
    [['-bp'], good, 64, /-bp is not supported/],
    [['--smtp-port', 'x', address], good, 64, /--smtp-port/],
    [['-t'], good, 65, /no recipients/],
    [['-i', address], `${'Received: from a\n'.repeat(101)}${good}`, 65, /554 5\.4\.6/],
    [[`nobody@${domain.domain}`], good, 67, /nobody@.*550 5\.1\.1/],
    [[address], good, 69, /127\.0\.0\.1:1/, 1],
  ];
  for (const [args, input, code, stderr, port] of cases) {
    const result = await sendmail(args, input, port);
    assert.equal(result.code, code, `${args} ${result.stderr}`);
    assert.match(result.stderr, stderr);
    assert.equal(result.stderr.split('\n').length, 2);
  }
  await ok(mail.user.api.patch(`/api/accounts/${mail.user.account.id}`, { is_active: false }));
  assert.equal((await sendmail([address], good)).code, 75);
});
