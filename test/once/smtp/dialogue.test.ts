import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';

const mail = await startMailProgram();

const message = 'Subject: hello\r\n\r\nworld\r\n';
const greeted = async () => {
  const client = new SmtpClient(mail.program.smtpPort);
  await client.reply();
  return client;
};

test('offers what it can, and nothing else', async () => {
  const client = new SmtpClient(mail.program.smtpPort);
  assert.match(await client.reply(), /^220 localhost ESMTP/);
  const [first, ...offers] = (await client.command('EHLO client.test')).split('\n');
  assert.match(first ?? '', /^250-localhost$/);
  assert.deepEqual(offers.map((line) => line.slice(4)).sort(), [
    '8BITMIME',
    'AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER',
    'BINARYMIME',
    'CHUNKING',
    'DSN',
    'ENHANCEDSTATUSCODES',
    'PIPELINING',
    'SIZE 26214400',
    'SMTPUTF8',
  ]);
  await client.quit();
});

test('answers each command by its code', async () => {
  const client = await greeted();
  const { address, domain } = mail.user;
  const dialogue: [line: string, reply: RegExp][] = [
    ['MAIL FROM:<s@s.test>', /^503 5\.5\.1/],
    ['HELO client.test', /^250 localhost$/],
    ['NOOP', /^250 2\.0\.0/],
    ['HELP', /^214 2\.0\.0/],
    ['VRFY qa', /^252 2\.1\.5/],
    ['EXPN list', /^502 5\.5\.1/],
    ['STARTTLS', /^502 5\.5\.1/],
    ['AUTH CRAM-MD5', /^504 5\.5\.4/],
    ['NONSENSE', /^500 5\.5\.2/],
    ['RCPT TO:<qa@x.test>', /^503 5\.5\.1/],
    ['DATA', /^503 5\.5\.1/],
    ['MAIL FROM:s@s.test', /^501 5\.1\.7/],
    ['MAIL FROM:<s@s.test> SIZE=26214401', /^552 5\.3\.4/],
    ['MAIL FROM:<s@s.test> BODY=9BIT', /^501 5\.5\.4 BODY must be 7BIT, 8BITMIME or BINARYMIME$/],
    ['MAIL FROM:<> SIZE=1000 BODY=8BITMIME SMTPUTF8', /^250 2\.1\.0/],
    ['MAIL FROM:<s@s.test>', /^503 5\.5\.1/],
    ['RCPT TO:<qa@elsewhere.test>', /^550 5\.7\.1/],
    [`RCPT TO:<nobody@${domain.domain}>`, /^550 5\.1\.1/],
    ['RCPT TO:<>', /^501 5\.1\.3/],
    ['RCPT TO:<qa>', /^501 5\.1\.3 .*Add a domain, as in qa@app\.test$/],
    ['RCPT TO:<Postmaster>', /^550 5\.1\.1 <Postmaster>: no such account\. Add a domain/],
    ['RCPT TO:<qa@[127.0.0.1]>', /^550 5\.7\.1 <qa@\[127\.0\.0\.1\]>: the domain is not registered/],
    ['DATA', /^503 5\.5\.1/],
    [`RCPT TO:<${address.toUpperCase()}>`, /^250 2\.1\.5/],
    [`RCPT TO:<@relay.test:${address}>`, /^250 2\.1\.5/],
    ['RSET', /^250 2\.0\.0/],
    ['DATA', /^503 5\.5\.1/],
  ];
  for (const [line, reply] of dialogue) assert.match(await client.command(line), reply, line);
  assert.match(await client.send('', [address], message), /^250 2\.6\.0 stored as \d+$/);
  assert.match(await client.command('QUIT'), /^221 2\.0\.0/);
  await client.closed;
});

test('refuses control characters in a command', async () => {
  const controls = [...Array(32).keys(), 127].map((code) => String.fromCharCode(code));
  for (const control of controls) {
    const lines = [
      `EHLO cl${control}ient.test`,
      `MAIL FROM:<s${control}s@s.test>`,
      `RCPT TO:<q${control}a@x.test>`,
      `VRFY q${control}a`,
    ];
    for (const line of lines) {
      const client = await greeted();
      assert.match(await client.command(line), /^501 5\.5\.2/, JSON.stringify(line));
      client.destroy();
    }
  }
});

test('refuses a command that is not UTF-8', async () => {
  const client = await mail.connect();
  await client.write(Buffer.from('MAIL FROM:<\xff@s.test>\r\n', 'latin1'));
  assert.match(await client.reply(), /^501 5\.5\.2/);
  await client.quit();
});

test('recognizes HTTP', async () => {
  for (const verb of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE']) {
    const client = await greeted();
    const target = verb === 'CONNECT' ? 'x.test:443' : '/';
    await client.write(`${verb} ${target} HTTP/1.1\r\nHost: x.test\r\n\r\nMAIL FROM:<s@s.test>\r\n`);
    assert.match(await client.reply(), /^421 4\.7\.0/);
    assert.equal(await client.reply(), '');
    await client.closed;
  }
});

test('takes a command line of 2,048 bytes, and closes on a longer one', async () => {
  const client = await greeted();
  assert.match(await client.command(`NOOP ${'x'.repeat(2041)}`), /^250/);
  for (const line of [`NOOP ${'x'.repeat(2042)}\r\n`, 'x'.repeat(2049)]) {
    const other = await greeted();
    await other.write(line);
    assert.match(await other.reply(), /^500 5\.5\.2/);
    await other.closed;
  }
});

test('takes 100 recipients', async () => {
  const catchAll = await ok(mail.user.api.post('/api/domains', { domain: 'many.test', mx_verified: true }));
  await ok(mail.user.api.post('/api/accounts', { address: `*@${catchAll.domain}` }));
  const client = await mail.connect();
  await client.command('MAIL FROM:<s@s.test>');
  for (let i = 0; i < 100; i++) assert.match(await client.command(`RCPT TO:<u${i}@many.test>`), /^250/);
  assert.match(await client.command('RCPT TO:<u100@many.test>'), /^452 4\.5\.3/);
  assert.match(await client.command('RCPT TO:<U7@many.test>'), /^250/);
  assert.match(await client.command('DATA'), /^354/);
  await client.write(`${message}.\r\n`);
  const [id = 0, ...others] = mail.idsOf(await client.reply());
  assert.deepEqual(others, []);
  assert.equal((await ok(mail.user.api.get(`/api/messages/${id}`))).envelope.rcpt_to.length, 100);
  await client.quit();
});

test('takes 50 connections of one address', async () => {
  const clients = await Promise.all(Array.from({ length: 50 }, () => greeted()));
  const refused = new SmtpClient(mail.program.smtpPort);
  assert.match(await refused.reply(), /^421 4\.7\.0/);
  const elsewhere = new SmtpClient(mail.program.smtpPort, '127.0.0.1', '127.0.0.9');
  assert.match(await elsewhere.reply(), /^220/);
  elsewhere.destroy();
  await Promise.all(clients.map((client) => client.quit()));
});

test('answers pipelined commands in order', async () => {
  const client = await mail.connect();
  const to = `RCPT TO:<${mail.user.address}>\r\nRCPT TO:<x@elsewhere.test>\r\n`;
  await client.write(`RSET\r\nMAIL FROM:<s@s.test>\r\n${to}DATA\r\n`);
  const codes = ['250 2.0.0', '250 2.1.0', '250 2.1.5', '550 5.7.1', '354'];
  for (const code of codes) assert.ok((await client.reply()).startsWith(code), code);
  await client.write(`${message}.\r\nMAIL FROM:<s@s.test>\r\n${to}RSET\r\nQUIT\r\n`);
  for (const code of ['250 2.6.0', '250 2.1.0', '250 2.1.5', '550 5.7.1', '250 2.0.0', '221']) {
    assert.ok((await client.reply()).startsWith(code), code);
  }
});

test('a dialogue that does not wait for 354 makes one message, or none', async () => {
  const inner = `MAIL FROM:<i@s.test>\r\nRCPT TO:<${mail.user.address}>\r\nDATA\r\n${message}.\r\n`;
  for (const to of [mail.user.address, 'nobody@elsewhere.test']) {
    const before = await mail.count();
    const client = await mail.connect();
    await client.write(
      `MAIL FROM:<s@s.test>\r\nRCPT TO:<${to}>\r\nDATA\r\nSubject: a\r\n\r\n${inner}QUIT\r\n`,
    );
    const replies: string[] = [];
    for (let reply = await client.reply(); reply !== ''; reply = await client.reply()) {
      replies.push(reply.slice(0, 3));
    }
    assert.deepEqual(
      replies,
      to === mail.user.address ? ['250', '250', '354', '250', '221'] : ['250', '550', '554'],
    );
    assert.equal(await mail.count(), before + (to === mail.user.address ? 1 : 0));
  }
});
