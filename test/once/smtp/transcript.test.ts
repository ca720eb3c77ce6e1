import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, Json } from '#test/support/clients/http.ts';
import { authPlain, base64, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

let user: User;
const mail = await startMailProgram();
({ user } = mail);

const message = 'Subject: hello\r\n\r\nsecret world\r\n';

/** Returns a message's dialogue as `C: …` and `S: …`, and checks its times. */
async function transcript(id: number | undefined, api: HttpClient = user.api): Promise<string[]> {
  const lines: Json[] = await ok(api.get(`/api/messages/${id}/transcript`));
  let last = 0;
  for (const { at_ms } of lines) {
    assert.ok(Number.isSafeInteger(at_ms) && at_ms >= last, `${last} ${at_ms}`);
    last = at_ms;
  }
  return lines.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`);
}

test('the dialogue that brought a message, from the greeting to the id', async () => {
  const client = await mail.connect();
  const [id] = mail.idsOf(await client.send('shop@example.com', [user.address], message));
  client.destroy();
  const lines = await transcript(id);
  const ehlo = lines.filter((line) => line.startsWith('S: 250-') || line === 'S: 250 BINARYMIME');
  assert.ok(ehlo.length > 5 && ehlo.includes('S: 250-PIPELINING'), ehlo.join('\n'));
  assert.deepEqual(
    lines.filter((line) => !ehlo.includes(line)),
    [
      'S: 220 localhost ESMTP Sandpost',
      'C: EHLO client.test',
      'C: MAIL FROM:<shop@example.com>',
      'S: 250 2.1.0 Accepted',
      `C: RCPT TO:<${user.address}>`,
      'S: 250 2.1.5 Accepted',
      'C: DATA',
      'S: 354 End data with <CR><LF>.<CR><LF>',
      'C: .',
      `S: 250 2.6.0 stored as ${id}`,
    ],
  );
});

/** Returns the last lines of the dialogues in a user's refusals, newest first. */
async function refused(api: HttpClient, number: number, last = 3): Promise<string[][]> {
  let items: Json[] = [];
  await until(async () => {
    ({ items } = await ok(api.get('/api/refusals')));
    return items.length === number;
  });
  return Promise.all(
    items.map(async ({ id }) => {
      const lines: Json[] = await ok(api.get(`/api/refusals/${id}/transcript`));
      return lines.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`).slice(-last);
    }),
  );
}

test('a refusal has its dialogue, with its reply and without what others were sent', async () => {
  const [own, other] = [await createUser(mail.program), await createUser(mail.program)];
  const nobody = `nobody@${own.domain.domain}`;
  const match = { address: own.address };
  const { id } = await ok(own.api.post('/api/failures', { match, stage: 'end', reply: '554 5.7.1 No' }));
  const client = await mail.connect();
  await client.command('MAIL FROM:<s@s.test>');
  await client.command(`RCPT TO:<${other.address}>`);
  assert.match(await client.command(`RCPT TO:<${nobody}>`), /^550/);
  await client.command('RSET');
  assert.match(await client.send('s@s.test', [own.address], message), /^554 5\.7\.1 No/);
  await client.command('MAIL FROM:<s@s.test>');
  await client.command(`RCPT TO:<${own.address}>`);
  const bare = await client.command(`RCPT TO:${nobody}`);
  assert.match(bare, /^50\d/);
  const unknown = await client.command(`RCTP TO:<${nobody}>`);
  await client.command('RSET');
  const early = await client.command(`RCPT TO:<${own.address}>`);
  assert.match(early, /^503/);
  client.destroy();
  const [beforeMail, inMail, ...dialogues] = await refused(own.api, 5);
  assert.deepEqual(beforeMail?.slice(1), [`C: RCPT TO:<${own.address}>`, `S: ${early}`]);
  assert.deepEqual(inMail?.slice(1), ['C: ***', `S: ${unknown}`]);
  assert.deepEqual(dialogues[2], [
    'S: 250 2.1.0 Accepted',
    `C: RCPT TO:<${nobody}>`,
    `S: 550 5.1.1 <${nobody}>: no such account`,
  ]);
  assert.deepEqual(dialogues[1], ['S: 354 End data with <CR><LF>.<CR><LF>', 'C: .', 'S: 554 5.7.1 No']);
  assert.deepEqual(dialogues[0], ['S: 250 2.1.5 Accepted', `C: RCPT TO:${nobody}`, `S: ${bare}`]);
  const { items } = await ok(own.api.get('/api/refusals'));
  assert.deepEqual([items[3].failure_id, items[4].failure_id], [id, null]);
  assert.equal((await other.api.get(`/api/refusals/${items[0].id}/transcript`)).status, 404);
  assert.equal((await own.api.get('/api/refusals/987654/transcript')).status, 404);
});

test('a refusal tells a team nothing of the sign-in of another', async () => {
  const [own, other] = [await createUser(mail.program), await createUser(mail.program)];
  const client = await connectFromNewHost(mail.program.smtpPort);
  const token = base64(`user=${own.address}\x01auth=Bearer wrong\x01\x01`);
  assert.match(await client.command(`AUTH XOAUTH2 ${token}`), /^334/);
  assert.match(await client.command(''), /^535/);
  await client.command('MAIL FROM:<s@s.test>');
  assert.match(await client.command(`RCPT TO:<nobody@${other.domain.domain}>`), /^550/);
  await client.command('RSET');
  assert.match(await client.command(authPlain('', own.key)), /^235/);
  await client.command('MAIL FROM:<s@s.test>');
  const unknown = await client.command('NONSENSE');
  client.destroy();
  const [theirs = []] = await refused(other.api, 1, 100);
  const seen = theirs.join('\n');
  assert.ok(theirs.includes(`C: RCPT TO:<nobody@${other.domain.domain}>`), seen);
  assert.doesNotMatch(seen, /C: AUTH|S: 535|user=/);
  const [command = [], signIn = []] = await refused(own.api, 2, 100);
  assert.deepEqual(command.slice(-2), ['C: ***', `S: ${unknown}`]);
  assert.ok(command.includes('C: AUTH PLAIN ***'), command.join('\n'));
  assert.ok(signIn.includes(`C: AUTH XOAUTH2 user=${own.address} ***`), signIn.join('\n'));
  assert.match(signIn.at(-1) ?? '', /^S: 535/);
});

test('each message of a session has its own transaction, by DATA, by chunks and sent without waiting', async () => {
  const client = await mail.connect();
  await client.send('first@s.test', [user.address], message);
  await client.command('MAIL FROM:<given-up@s.test>');
  await client.command('RSET');
  await client.command('NOOP');
  const [chunked] = mail.idsOf(
    await client.sendChunks('second@s.test', [user.address], Buffer.from(message)),
  );
  await client.write(`MAIL FROM:<third@s.test>\r\nRCPT TO:<${user.address}>\r\nDATA\r\n`);
  for (const _ of [1, 2, 3]) await client.reply();
  await client.write(`${message}.\r\n`);
  const [pipelined] = mail.idsOf(await client.reply());
  client.destroy();
  const isOfMail = (line: string) => !/^S: 2[25]0[- ](?!2\.)/.test(line) && !line.startsWith('C: EHLO');
  assert.deepEqual((await transcript(chunked)).filter(isOfMail), [
    'C: MAIL FROM:<second@s.test>',
    'S: 250 2.1.0 Accepted',
    `C: RCPT TO:<${user.address}>`,
    'S: 250 2.1.5 Accepted',
    `C: BDAT ${message.length} LAST`,
    `S: 250 2.6.0 stored as ${chunked}`,
  ]);
  const third = (await transcript(pipelined)).filter(isOfMail);
  assert.deepEqual([third[0], third.at(-2), third.length], ['C: MAIL FROM:<third@s.test>', 'C: .', 8]);
});

test('credentials are never kept, in any form in which clients send them', async () => {
  const address = `inbox@${user.domain.domain}`;
  const password = 'staging mail';
  await ok(user.api.post('/api/accounts', { address, password }));
  const client = await connectFromNewHost(mail.program.smtpPort);
  const secrets = [
    base64(address),
    base64(password),
    base64(`\0${address}\0${password}`),
    base64(`\0${address}\0wrong`),
  ];
  for (const line of [
    ...[authPlain(address, 'wrong'), 'AUTH PLAIN', base64(`\0${address}\0wrong`), 'AUTH LOGIN', '*'],
    ...[`AUTH ${secrets[2]}`, `AUTH GSSAPI ${secrets[2]}`, secrets[2] ?? '', `AUTH\tPLAIN ${secrets[2]}`],
    ...['auth login', base64(address), base64(password)],
  ])
    await client.command(line);
  await client.command('MAIL FROM:<s@s.test>');
  await client.command(authPlain(address, password));
  await client.command(secrets[1] ?? '');
  await client.command('RCPT TO:<somebody@else.test>');
  await client.command('DATA');
  await client.write(`${message}.\r\n`);
  const [id] = mail.idsOf(await client.reply());
  client.destroy();
  const lines = await transcript(id);
  const text = lines.join('\n');
  for (const secret of [...secrets, 'secret world']) assert.ok(!text.includes(secret), text);
  assert.ok(text.includes('C: AUTH PLAIN ***\nS: 535 5.7.8'), text);
  assert.ok(
    text.includes('C: AUTH login\nS: 334 VXNlcm5hbWU6\nC: ***\nS: 334 UGFzc3dvcmQ6\nC: ***\nS: 235 2.7.0'),
    text,
  );
  assert.ok(text.includes('C: AUTH PLAIN ***\nS: 503'), 'one within a transaction');
  assert.ok(text.includes('C: RCPT TO:<somebody@else.test>\nS: 250'), 'a submitter sees foreign recipients');
});

test('recipients of other teams stay blind, with the replies to them and what may name them', async () => {
  const other = await createUser(mail.program);
  const client = await mail.connect();
  const nobody = `nobody@${user.domain.domain}`;
  await client.command('MAIL FROM:<s@s.test>');
  for (const to of [other.address, user.address, `x@${other.domain.domain}`, nobody, 'y@unregistered.test'])
    await client.command(`RCPT TO:<${to}>`);
  for (const line of [
    `RCTP TO:<${other.address}>`,
    `VRFY ${other.address}`,
    `RCPT TO:${other.address}`,
    `RCPT TO:<@relay:${other.address}> NOTIFY=x`,
  ])
    await client.command(line);
  await client.command('DATA');
  await client.write(`${message}.\r\n`);
  const ids = mail.idsOf(await client.reply());
  client.destroy();
  const [theirs, own] = ids;
  const seen = (await transcript(own)).join('\n');
  assert.ok(
    !seen.includes(other.domain.domain) && !seen.includes('unregistered') && !seen.includes('VRFY'),
    seen,
  );
  const recipients = `C: RCPT TO:<${user.address}>\nS: 250 2.1.5 Accepted\nC: RCPT TO:<${nobody}>\nS: 550 5.1.1`;
  assert.ok(seen.includes(recipients), seen);
  assert.ok(seen.endsWith(`S: 250 2.6.0 stored as ${own}`), seen);
  const seenByOther = (await transcript(theirs, other.api)).join('\n');
  assert.ok(seenByOther.includes(other.address) && !seenByOther.includes(user.domain.domain), seenByOther);
  assert.equal((await other.api.get(`/api/messages/${own}/transcript`)).status, 404);
});

test('a dialogue is bounded, and its end is kept', async () => {
  const client = new SmtpClient(mail.program.smtpPort);
  await client.reply();
  await client.command(`HELO ${'h'.repeat(2000)}`);
  for (let count = 0; count < 300; count += 1) await client.command(`EHLO ${'h'.repeat(250)}`);
  await client.command(`MAIL FROM:<s@s.test> SMTPUTF8`);
  const long = (at: number) =>
    `RCPT TO:<${user.address.replace('@', `+${at}${'é'.repeat(20)}@`)}> NOTIFY=NEVER ORCPT=rfc822;${'o'.repeat(80)}`;
  const lines = Array.from({ length: 90 }, (_, at) => `${long(at)}\r\n`);
  await client.write(lines.join(''));
  for (const _ of lines) await client.reply();
  for (let count = 0; count < 50; count += 1) await client.command(`MAIL FROM:<${'m'.repeat(1500)}@s.test>`);
  await client.write(Buffer.from([0x52, 0xff, 0x00, 0x0d, 0x0a]));
  await client.reply();
  for (let count = 0; count < 200; count += 1) {
    await client.write('BDAT 1\r\nS');
    assert.match(await client.reply(), /^250/);
  }
  await client.write('BDAT 0 LAST\r\n');
  const [id] = mail.idsOf(await client.reply());
  client.destroy();
  const told = await transcript(id);
  const bytes = told.reduce((sum, line) => sum + Buffer.byteLength(line) + 8, 0);
  assert.ok(bytes > 8000 && bytes <= 16 * 1024, `${bytes} bytes, ${told.length} lines`);
  assert.deepEqual(told.slice(-2), ['C: BDAT 0 LAST', `S: 250 2.6.0 stored as ${id}`]);
});

test('a message that did not come by SMTP has none, and no dialogue counts in the quota', async () => {
  await ok(
    user.api.post(`/api/accounts/${user.account.id}/messages/send`, {
      to: user.address,
      subject: 'api',
      text: 'x',
    }),
  );
  const { items } = await ok(user.api.get('/api/messages?subject=api'));
  for (const { id } of items) assert.deepEqual(await transcript(id), []);
  const fresh = await createUser(mail.program);
  const client = await mail.connect();
  const [id] = mail.idsOf(await client.send('s@s.test', [fresh.address], message));
  client.destroy();
  const { used_bytes } = await ok(fresh.api.get(`/api/accounts/${fresh.account.id}`));
  const { size_bytes } = await ok(fresh.api.get(`/api/messages/${id}`));
  assert.equal(used_bytes, size_bytes);
});
