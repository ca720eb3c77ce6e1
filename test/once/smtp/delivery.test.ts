import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

let mail: MailProgram;
let client: SmtpClient;
before(async () => {
  mail = await startMailProgram();
  client = await mail.connect();
});
after(async () => {
  client.destroy();
  await mail.stop();
});

const message = 'Subject: hello\r\n\r\nworld\r\n';
const send = (...to: string[]) => client.send('Sender@S.test', to, message);
const full = (id: number | undefined) => ok(mail.user.api.get(`/api/messages/${id}`));

test('two recipients that reach one account share one message', async () => {
  const { address, domain } = mail.user;
  const other = await ok(mail.user.api.post('/api/accounts', { address: `two@${domain.domain}` }));
  const ids = mail.idsOf(await send(address, `qa+tag@${domain.domain}`, other.address));
  assert.equal(ids.length, 2);
  const [first, second] = [await full(ids[0]), await full(ids[1])];
  assert.deepEqual([first.account_id, second.account_id], [mail.user.account.id, other.id]);
  assert.deepEqual(first.envelope, {
    mail_from: 'Sender@S.test',
    rcpt_to: [address, `qa+tag@${domain.domain}`, other.address],
    helo: 'client.test',
    remote_address: '127.0.0.1',
    tls: false,
    received_by: 'localhost',
    authenticated_as: null,
    tls_info: null,
    dsn: null,
  });
});

test('finds the account of a tag, of a catch-all, and of nobody else', async () => {
  const { domain } = await ok(
    mail.user.api.post('/api/domains', { domain: 'order.test', mx_verified: true }),
  );
  const make = async (address: string, more = {}) =>
    (await ok(mail.user.api.post('/api/accounts', { address, ...more }))).id;
  const plain = await make(`u@${domain}`);
  const tagged = await make(`u+own@${domain}`);
  const sleeping = await make(`off@${domain}`, { is_active: false });
  assert.match(await send(`x@${domain}`), /^550 5\.1\.1/);
  const rest = await make(`*@${domain}`);
  const cases: [to: string, account: number, tag: string | null][] = [
    [`u@${domain}`, plain, null],
    [`U+Own@${domain}`, tagged, 'Own'],
    [`u+Other+more@${domain}`, plain, 'Other+more'],
    [`x+t@${domain}`, rest, 't'],
    [`X@Order.TEST`, rest, null],
  ];
  for (const [to, account, tag] of cases) {
    const found = await full(mail.idsOf(await send(to))[0]);
    assert.deepEqual([found.account_id, found.tag, found.delivered_to], [account, tag, to]);
  }
  assert.match(await send(`off@${domain}`), /^450 4\.2\.1/);
  assert.match(await send(`off+tag@${domain}`), /^450 4\.2\.1/);
  await ok(mail.user.api.patch(`/api/accounts/${sleeping}`, { is_active: true }));
  assert.match(await send(`off@${domain}`), /^250/);
});

test('an inactive domain waits, a deleted one is unknown', async () => {
  const made = await ok(mail.user.api.post('/api/domains', { domain: 'state.test', mx_verified: true }));
  await ok(mail.user.api.post('/api/accounts', { address: '*@state.test' }));
  assert.match(await send('a@state.test'), /^250/);
  await ok(mail.user.api.patch(`/api/domains/${made.id}`, { is_active: false }));
  assert.match(await send('a@state.test'), /^450 4\.2\.1/);
  await ok(mail.user.api.delete(`/api/domains/${made.id}`));
  assert.match(await send('a@state.test'), /^550 5\.7\.1/);
});

test('an account that goes away during DATA gets nothing', async () => {
  const made = await ok(mail.user.api.post('/api/accounts', { address: `going@${mail.user.domain.domain}` }));
  assert.match(await client.begin('s@s.test', [made.address]), /^354/);
  await client.write('Subject: a\r\n');
  await ok(mail.user.api.delete(`/api/accounts/${made.id}`));
  await client.write('\r\nb\r\n.\r\n');
  assert.match(await client.reply(), /^550 5\.1\.1 <going@/);
});

test('takes no more than fits, however many come at once', async () => {
  const limit = 20_000;
  const user = await createUser(mail.program, { storage_limit: limit });
  assert.match(await client.begin('s@s.test', [user.address], ' SIZE=20001'), /^552 5\.2\.2/);
  const large = `Subject: a\r\n\r\n${'x'.repeat(30_000)}\r\n`;
  assert.match(await client.send('s@s.test', [user.address, mail.user.address], large), /^552 5\.2\.2 <qa@/);
  const clients = await Promise.all(Array.from({ length: 25 }, () => mail.connect()));
  const body = `Subject: a\r\n\r\n${'y'.repeat(1_000)}\r\n`;
  const replies = await Promise.all(
    clients.flatMap((one) => [
      (async () => [
        await one.send('s@s.test', [user.address], body),
        await one.send('s@s.test', [user.address], body),
      ])(),
    ]),
  );
  const stored = replies.flat().filter((reply) => reply.startsWith('250')).length;
  const refused = replies.flat().filter((reply) => reply.startsWith('552 5.2.2')).length;
  assert.deepEqual(
    [stored, refused],
    [Math.floor(limit / body.length), 50 - Math.floor(limit / body.length)],
  );
  const account = await ok(user.api.get(`/api/accounts/${user.account.id}`));
  const list = await ok(
    user.api.get(`/api/accounts/${user.account.id}/mailboxes/${user.inbox}/messages?limit=200`),
  );
  const sum = list.items.reduce((total: number, item: { size_bytes: number }) => total + item.size_bytes, 0);
  assert.deepEqual([account.used_bytes, sum], [stored * body.length, stored * body.length]);
  for (const one of clients) one.destroy();
});

test('logs each mail in one line, and counts it', async () => {
  const { program, user } = mail;
  const lines = (event: string) => program.log.filter((line) => line.event === event);
  const [id] = mail.idsOf(await send(user.address));
  const stored = () => lines('mail.stored').filter(({ ids }) => isDeepStrictEqual(ids, [id]));
  // Log lines that earlier tests caused precede that line.
  await until(() => stored().length > 0);
  const refused = lines('mail.refused').length;
  await send('"\u001b[31mred"@elsewhere.test');
  // Recipient refused as the first in its session.
  const stranger = await mail.connect();
  await stranger.send('Sender@S.test', ['red@elsewhere.test'], message);
  stranger.destroy();
  await until(() => lines('mail.refused').length > refused);
  const [line, ...more] = stored();
  const { time, level, ms, ...told } = line ?? {};
  assert.deepEqual(more, []);
  assert.equal(lines('mail.refused').length, refused + 1);
  assert.deepEqual(told, {
    event: 'mail.stored',
    ids: [id],
    sizeBytes: message.length,
    mailFrom: 'Sender@S.test',
    rcptTo: [user.address],
    remoteAddress: '127.0.0.1',
    msg: 'stored an email',
  });
  const metrics = await (await fetch(`http://127.0.0.1:${program.opsPorts.smtp}/metrics`)).text();
  for (const pattern of [
    /^sandpost_smtp_connections \d+$/m,
    /^sandpost_smtp_replies_total\{command="RCPT",code="550"\} [1-9]/m,
    /^sandpost_smtp_replies_total\{command="DATA",code="250"\} [1-9]/m,
    /^sandpost_messages_stored_total [1-9]/m,
    /^sandpost_bytes_stored_total [1-9]/m,
    /^sandpost_delivery_duration_seconds_count [1-9]/m,
  ]) {
    assert.match(metrics, pattern);
  }
});

test('counts the limits that a mail reaches, each once', async () => {
  const before = await limitsReached(mail.program.opsPorts.smtp);
  const many = Array.from({ length: 2001 }, (_, index) => `${index}@x.test`).join(', ');
  const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=app.test; s=x; h=from; bh=x; b=x\r\n';
  const fields = [
    `${signature.repeat(21)}Subject: ${'long '.repeat(200)}`,
    `From: ${'a'.repeat(330)}@x.test`,
    `To: ${many}`,
    `Cc: ${many}`,
    `X-Long: ${'x '.repeat(9_000)}`,
    ...new Array(1000).fill('X: y'),
  ];
  const text = 'All work and no play. '.repeat(50_000);
  const hostile = `${fields.join('\r\n')}\r\n\r\n${text}\r\n`;
  assert.match(await client.send('a@x.test', [mail.user.address], hostile), /^250 /);
  assert.match(await send(mail.user.address), /^250 /);
  const counts = [...(await limitsReached(mail.program.opsPorts.smtp))].map(
    ([name, count]) => [name, count - (before.get(name) ?? 0)] as const,
  );
  // Limits in milliseconds depend on the machine.
  assert.deepEqual(counts.filter(([name, count]) => count > 0 && !name.endsWith('Ms')).sort(), [
    ['answers.addressCharacters', 1],
    ['answers.headerFieldBytes', 1],
    ['answers.headerFields', 1],
    ['answers.subjectCharacters', 1],
    ['answers.textBytes', 1],
    ['answers.toAddresses', 1],
    ['mail.addresses', 1],
    ['mail.searchedCharacters', 1],
    ['mail.signatures', 1],
    ['smtp.heldBytes', 1],
  ]);
});
