import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { authPlain, base64, connectFromNewHost, signedInClient } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

/** Address of an account with a password. */
let inbox: { id: number; address: string };
const password = 'staging mail';
const mail = await startMailProgram();
const address = `inbox@${mail.user.domain.domain}`;
inbox = await ok(mail.user.api.post('/api/accounts', { address, password }));

const message = 'Subject: hello\r\n\r\nworld\r\n';
const signedIn = (userName: string, secret: string) =>
  signedInClient(mail.program.smtpPort, userName, secret);

test('each mechanism is taken, in one line and in steps', async () => {
  const steps: [string, RegExp][][] = [
    [[authPlain(inbox.address, password), /^235 2\.7\.0/]],
    [
      ['AUTH PLAIN', /^334 ?$/],
      [base64(`\0${inbox.address}\0${password}`), /^235 2\.7\.0/],
    ],
    [
      ['AUTH LOGIN', /^334 VXNlcm5hbWU6$/],
      [base64(inbox.address), /^334 UGFzc3dvcmQ6$/],
      [base64(password), /^235 2\.7\.0/],
    ],
    [
      [`auth login ${base64(inbox.address.toUpperCase())}`, /^334 UGFzc3dvcmQ6$/],
      [base64(password), /^235 2\.7\.0/],
    ],
    [[authPlain('', mail.user.key), /^235 2\.7\.0/]],
    [
      ['AUTH LOGIN', /^334/],
      ['', /^334/],
      [base64(mail.user.key), /^235 2\.7\.0/],
    ],
    [
      ['AUTH LOGIN =', /^334/],
      [base64(mail.user.key), /^235 2\.7\.0/],
    ],
  ];
  for (const dialogue of steps) {
    const client = await connectFromNewHost(mail.program.smtpPort);
    for (const [line, reply] of dialogue) assert.match(await client.command(line), reply, line);
    assert.match(await client.command(authPlain(inbox.address, password)), /^503 5\.5\.1/);
    const again = await client.command('EHLO client.test');
    assert.ok(!again.includes('AUTH'), again);
    client.destroy();
  }
});

test('what is no sign-in is told so, and the dialogue goes on', async () => {
  const client = await connectFromNewHost(mail.program.smtpPort);
  const dialogue: [string, RegExp][] = [
    ['AUTH', /^504 5\.5\.4/],
    ['AUTH GSSAPI', /^504 5\.5\.4/],
    ['AUTH PLAIN a b', /^501 5\.5\.2/],
    ['AUTH PLAIN no*base64', /^501 5\.5\.2/],
    ['AUTH PLAIN =', /^501 5\.5\.4/],
    [`AUTH PLAIN ${base64('one\0two')}`, /^501 5\.5\.4/],
    ['AUTH PLAIN', /^334/],
    ['*', /^501 5\.5\.4/],
    ['AUTH PLAIN', /^334/],
    ['no*base64', /^501 5\.5\.2/],
    ['AUTH PLAIN', /^334/],
    ['', /^501 5\.5\.4/],
    ['AUTH LOGIN', /^334/],
    ['*', /^501 5\.5\.4/],
    ['AUTH LOGIN', /^334/],
    ['', /^334/],
    [base64('wrong'), /^535 5\.7\.8/],
    ['AUTH LOGIN =', /^334 UGFzc3dvcmQ6/],
    ['*', /^501 5\.5\.4/],
    ['AUTH LOGIN', /^334/],
    [base64(inbox.address), /^334/],
    ['*', /^501 5\.5\.4/],
    ['AUTH LOGIN', /^334/],
    [base64(inbox.address), /^334/],
    ['', /^535 5\.7\.8/],
    [authPlain(inbox.address, ''), /^535 5\.7\.8/],
    [authPlain(mail.user.address, ''), /^535 5\.7\.8/],
    [authPlain(mail.user.email, mail.user.password), /^535 5\.7\.8/],
    ['MAIL FROM:<s@s.test>', /^250/],
    [authPlain(inbox.address, password), /^503 5\.5\.1/],
    ['RSET', /^250/],
    [authPlain(inbox.address, password), /^235/],
  ];
  for (const [line, reply] of dialogue) assert.match(await client.command(line), reply, line);
  client.destroy();
  const early = new SmtpClient(mail.program.smtpPort);
  await early.reply();
  assert.match(await early.command(authPlain(inbox.address, password)), /^503 5\.5\.1/);
  await early.command('EHLO client.test');
  await early.write(`AUTH PLAIN ${'A'.repeat(12 * 1024)}\r\n`);
  assert.match(await early.reply(), /^500 5\.5\.2/);
  await early.closed;
});

test('a sign-in that is sent without waiting is run in its order', async () => {
  const client = await connectFromNewHost(mail.program.smtpPort);
  const lines = ['AUTH LOGIN', base64(inbox.address), base64(password)];
  lines.push('MAIL FROM:<s@s.test>', 'RCPT TO:<alice@gmail.com>', 'DATA');
  await client.write(lines.map((line) => `${line}\r\n`).join(''));
  const codes = [];
  for (const _ of lines) codes.push((await client.reply()).slice(0, 3));
  assert.deepEqual(codes, ['334', '334', '235', '250', '250', '354']);
  client.destroy();
});

test('ten failures a minute are told, and then no password of that address is taken', async () => {
  const host = '127.0.2.1';
  const client = await SmtpClient.open(mail.program.smtpPort, host);
  for (let failure = 0; failure < 10; failure += 1)
    assert.match(await client.command(authPlain(`u${failure}@x.test`, 'wrong')), /^535 5\.7\.8/);
  assert.match(await client.command(authPlain('u11@x.test', 'wrong')), /^454 4\.7\.0 .*try again in \d+ s$/);
  assert.match(await client.command(authPlain(inbox.address, password)), /^454 4\.7\.0/);
  const next = await SmtpClient.open(mail.program.smtpPort, host);
  assert.match(await next.command(authPlain(inbox.address, password)), /^454 4\.7\.0/);
  assert.match(await next.send('s@s.test', [mail.user.address], message), /^250/);
  assert.match(await next.command(authPlain('apikey', mail.user.key)), /^235/, 'a key is');
  (await signedIn(inbox.address, password)).destroy();
  const reached = await limitsReached(mail.program.opsPorts.smtp);
  assert.ok(Number(reached.get('access.failedSubmitters')) >= 3);
  next.destroy();
  client.destroy();
});

test('failures for a user name count over all addresses, and slow those down who guess', async () => {
  const address = `guessed@${mail.user.domain.domain}`;
  await ok(mail.user.api.post('/api/accounts', { address, password }));
  const replies = [];
  for (let failure = 0; failure < 11; failure += 1) {
    const client = await connectFromNewHost(mail.program.smtpPort);
    replies.push((await client.command(authPlain(address, `wrong ${failure}`))).slice(0, 3));
    client.destroy();
  }
  assert.deepEqual(replies, [...Array(10).fill('535'), '454']);
  for (const spelling of [address.toUpperCase(), address.replace(/t$/, '\uff54'), `${address}.`]) {
    const client = await connectFromNewHost(mail.program.smtpPort);
    for (const guess of ['wrong', password])
      assert.match(await client.command(authPlain(spelling, guess)), /^454 4\.7\.0/, spelling);
    assert.match(await client.command(authPlain(address, mail.user.key)), /^235/);
    client.destroy();
  }
  (await signedIn(address, password)).destroy();
});

test('guesses at once are no more than ten', async () => {
  const host = '127.0.2.2';
  const clients = await Promise.all(
    Array.from({ length: 30 }, () => SmtpClient.open(mail.program.smtpPort, host)),
  );
  const replies = await Promise.all(
    clients.map((client, index) => client.command(authPlain(`at-once-${index}@x.test`, 'wrong'))),
  );
  assert.equal(replies.filter((reply) => reply.startsWith('535')).length, 10);
  for (const client of clients) client.destroy();
});

/** Starts emails until one is refused for a reason other than an email in progress. Returns that reply. */
async function refusedMail(client: SmtpClient): Promise<string> {
  const begun = performance.now();
  for (;;) {
    const reply = await client.command('MAIL FROM:<s@s.test>');
    if (!reply.startsWith('250') || performance.now() - begun > 10_000) return reply;
    await client.command('RSET');
  }
}

test('a changed password ends its sessions, and its memory', async () => {
  const address = `changing@${mail.user.domain.domain}`;
  const { id } = await ok(mail.user.api.post('/api/accounts', { address, password }));
  const client = await signedIn(address, password);
  (await signedIn(address, password)).destroy();
  await ok(mail.user.api.patch(`/api/accounts/${id}`, { password: 'another one' }));
  const next = await connectFromNewHost(mail.program.smtpPort);
  assert.match(await next.command(authPlain(address, password)), /^535/);
  assert.match(await next.command(authPlain(address, 'another one')), /^235/);
  assert.match(await refusedMail(client), /^530 5\.7\.0/);
  assert.match(await client.command(authPlain(address, 'another one')), /^235/);
  next.destroy();
  client.destroy();
});

test('content that takes longer than its sign-in is not stored', async () => {
  const { id, key } = await ok(mail.user.api.post('/api/tokens', { name: 'slow' }));
  const client = await signedIn('apikey', key);
  for (const command of ['MAIL FROM:<s@s.test>', `RCPT TO:<${inbox.address}>`])
    assert.match(await client.command(command), /^250/);
  assert.match(await client.command('DATA'), /^354/);
  await ok(mail.user.api.delete(`/api/tokens/${id}`));
  const revokedAt = performance.now();
  const stored = async () => (await ok(mail.user.api.get(`/api/messages?to=${inbox.address}`))).total;
  const before = await stored();
  await until(() => performance.now() - revokedAt > limits.access.credentialEndMs);
  assert.match(await client.command('Subject: late\r\n\r\nworld\r\n.'), /^530 5\.7\.0/);
  assert.equal(await stored(), before);
  assert.match(await client.command(authPlain(inbox.address, password)), /^235/);
  mail.idsOf(await client.send('s@s.test', [inbox.address], message));
  client.destroy();
});

test('a revoked key ends its sessions', async () => {
  const { id, key } = await ok(mail.user.api.post('/api/tokens', { name: 'short' }));
  const client = await signedIn('apikey', key);
  await ok(mail.user.api.delete(`/api/tokens/${id}`));
  const next = await connectFromNewHost(mail.program.smtpPort);
  assert.match(await next.command(authPlain('apikey', key)), /^535/);
  assert.match(await refusedMail(client), /^530 5\.7\.0/);
  next.destroy();
  client.destroy();
});
