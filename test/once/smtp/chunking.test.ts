import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await forAllTests(startMailProgram({ SANDPOST_MAX_MESSAGE_BYTES: '300000' }));

/** Bytes that DATA would have to escape: dots, lone CR and LF, NUL, every octet, commands. */
const hard = Buffer.concat([
  Buffer.from('Subject: hard\r\n\r\n.\r\n..\r\n\r\n.\r\nQUIT\r\nlone\rCR and\nLF\r\n'),
  Buffer.from(Array.from({ length: 256 }, (_, octet) => octet)),
  Buffer.from('\r\n.\r\nMAIL FROM:<smuggled@s.test>\r\nno end of line'),
]);

/** Connects and starts a transaction. */
async function begun(parameters = ''): Promise<SmtpClient> {
  const client = await mail.connect();
  assert.match(await client.command(`MAIL FROM:<s@s.test>${parameters}`), /^250/);
  assert.match(await client.command(`RCPT TO:<${mail.user.address}>`), /^250/);
  return client;
}

/** Sends part of a message in packets of `size` bytes, and returns the reply. */
async function chunk(client: SmtpClient, content: Uint8Array | string, last = '', size?: number) {
  const bytes = Buffer.from(content);
  await client.write(Buffer.concat([Buffer.from(`BDAT ${bytes.length}${last}\r\n`), bytes]), size);
  return client.reply();
}

test('EHLO offers CHUNKING, BINARYMIME and DSN', async () => {
  const client = await mail.connect();
  const offers = (await client.command('EHLO client.test')).split('\n').map((line) => line.slice(4));
  for (const offer of ['CHUNKING', 'BINARYMIME', 'DSN']) assert.ok(offers.includes(offer), offer);
  client.destroy();
});

test('chunks of any size make the same bytes, in packets of any size', async () => {
  for (const sizes of [[hard.length], [1, 2, 3, 5, 300], [0, 100, 0, 0], [17, 200]]) {
    for (const packet of [1, 7, undefined]) {
      const client = await begun(packet === 7 ? ' BODY=BINARYMIME' : '');
      let at = 0;
      for (const size of sizes) {
        assert.equal(
          await chunk(client, hard.subarray(at, at + size), '', packet),
          `250 2.0.0 ${Math.min(size, hard.length - at)} octets received`,
        );
        at += size;
      }
      const [id = 0] = mail.idsOf(await chunk(client, hard.subarray(at), ' LAST', packet));
      assert.deepEqual(await mail.raw(id), hard, `${sizes} in packets of ${packet}`);
      client.destroy();
    }
  }
});

test('chunks sent without waiting are answered in order, and the next mail follows', async () => {
  const client = await mail.connect();
  const one = `MAIL FROM:<s@s.test>\r\nRCPT TO:<${mail.user.address}>\r\nBDAT 3\r\nA: BDAT 6 LAST\r\nb\r\n\r\nc`;
  await client.write(`${one}${one}NOOP\r\n`);
  const replies = [];
  for (let count = 0; count < 9; count += 1) replies.push(await client.reply());
  assert.deepEqual(
    replies.map((reply) => reply.slice(0, 9)),
    [...Array(2)].flatMap(() => ['250 2.1.0', '250 2.1.5', '250 2.0.0', '250 2.6.0']).concat('250 2.0.0'),
  );
  const [id = 0] = mail.idsOf(replies[3] ?? '');
  assert.equal((await mail.raw(id)).toString(), 'A: b\r\n\r\nc');
  client.destroy();
});

test('octets of a chunk that has no transaction are no commands', async () => {
  const before = await mail.count();
  const mailOf = `MAIL FROM:<s@s.test>\r\nRCPT TO:<${mail.user.address}>\r\nBDAT 5 LAST\r\nhello`;
  const client = await mail.connect();
  assert.match(await chunk(client, mailOf), /^503 5\.5\.1/);
  assert.match(await chunk(client, mailOf, ' LAST'), /^503 5\.5\.1/);
  await client.command('MAIL FROM:<s@s.test>');
  assert.match(await chunk(client, mailOf, ' LAST'), /^503 5\.5\.1/);
  assert.match(await client.command('NOOP'), /^250/);
  assert.equal(await mail.count(), before);
  client.destroy();
});

test('a size that is no size ends the session: what follows cannot be told apart', async () => {
  for (const line of [
    'BDAT',
    'BDAT x',
    'BDAT -1',
    'BDAT 5 LAS',
    'BDAT 5 LAST x',
    'BDAT 99999999999999999999',
  ]) {
    const client = await begun();
    await client.write(`${line}\r\nhello`);
    assert.match(await client.reply(), /^501 5\.5\.4/, line);
    assert.equal(await client.reply(), '');
    await client.closed;
  }
});

test('DATA cannot go on what BDAT began, nor send a binary message', async () => {
  const client = await begun();
  assert.match(await chunk(client, 'Subject: x\r\n\r\n'), /^250/);
  assert.match(await client.command('DATA'), /^503 5\.5\.1/);
  assert.match(await client.command('MAIL FROM:<s@s.test>'), /^503 5\.5\.1/);
  assert.match(await chunk(client, 'y', ' LAST'), /^250 2\.6\.0/);
  assert.match(await client.command('MAIL FROM:<s@s.test> BODY=BINARYMIME'), /^250/);
  assert.match(await client.command(`RCPT TO:<${mail.user.address}>`), /^250/);
  assert.match(await client.command('DATA'), /^503 5\.5\.1/);
  assert.match(await chunk(client, 'Subject: x\r\n\r\ny', ' LAST'), /^250 2\.6\.0/);
  client.destroy();
});

test('a BDAT or a DATA that is refused runs nothing of what follows it', async () => {
  const refused: [string, string, RegExp][] = [
    ['', 'BDAT 23\nMAIL FROM:<x@y.test>\r\nNO\r\n', /^501 5\.5\.4/],
    ['', 'BDAT 6\0\r\nRSET\r\n', /^501 5\.5\.4/],
    [' BODY=BINARYMIME', 'DATA\r\nRSET\r\n.\r\n', /^554 5\.5\.0/],
  ];
  for (const [parameters, lines, reply] of refused) {
    const client = await begun(parameters);
    await client.write(lines);
    assert.match(await client.reply(), reply, lines);
    assert.equal(await client.reply(), '', lines);
    await client.closed;
  }
});

test('RSET and EHLO discard what has arrived', async () => {
  const before = await mail.count();
  for (const reset of ['RSET', 'EHLO client.test']) {
    const client = await begun();
    await chunk(client, 'Subject: discarded\r\n\r\n');
    assert.match(await client.command(reset), /^250/);
    assert.match(await chunk(client, 'rest', ' LAST'), /^503 5\.5\.1/);
    const [id = 0] = mail.idsOf(await client.send('s@s.test', [mail.user.address], 'Subject: kept\r\n\r\n'));
    assert.equal((await ok(mail.user.api.get(`/api/messages/${id}`))).subject, 'kept');
    client.destroy();
  }
  assert.equal(await mail.count(), before + 2);
});

test('a message that grows too large is refused at the end of its chunk, and the session goes on', async () => {
  const before = await mail.count();
  const client = await begun();
  assert.match(await chunk(client, Buffer.alloc(200_000, 'a')), /^250 2\.0\.0 200000/);
  assert.match(await chunk(client, Buffer.alloc(900_000, 'a')), /^552 5\.3\.4/);
  assert.match(await chunk(client, 'the rest', ' LAST'), /^503 5\.5\.1/);
  assert.equal(await mail.count(), before);
  await client.command('MAIL FROM:<s@s.test>');
  await client.command(`RCPT TO:<${mail.user.address}>`);
  assert.match(await chunk(client, Buffer.alloc(300_001, 'a'), ' LAST'), /^552 5\.3\.4/);
  assert.match(await client.send('s@s.test', [mail.user.address], 'Subject: next\r\n\r\n'), /^250 2\.6\.0/);
  client.destroy();
});

test('an empty last chunk ends a message, also an empty one', async () => {
  const client = await begun();
  await chunk(client, 'Subject: whole\r\n\r\n');
  const [id = 0] = mail.idsOf(await chunk(client, '', ' LAST'));
  assert.equal((await mail.raw(id)).toString(), 'Subject: whole\r\n\r\n');
  await client.command('MAIL FROM:<s@s.test>');
  await client.command(`RCPT TO:<${mail.user.address}>`);
  const [empty = 0] = mail.idsOf(await chunk(client, '', ' LAST'));
  assert.equal((await mail.raw(empty)).length, 0);
  client.destroy();
});

test('a connection that is lost in a chunk, or between two, leaves nothing', async () => {
  const before = await mail.count();
  for (const [announced, sent] of [
    [100, 50],
    [100, 100],
    [280_000, 270_000],
  ] as const) {
    const client = await begun();
    await client.write(Buffer.concat([Buffer.from(`BDAT ${announced}\r\n`), Buffer.alloc(sent, 'a')]));
    if (sent === announced) await client.reply();
    client.destroy();
    await client.closed;
  }
  const lost = () =>
    mail.program.log.filter(({ reply }) => String(reply).includes('lost during DATA')).length;
  await until(() => lost() === 3);
  assert.equal(await mail.count(), before);
});

test('the parameters of a notification are checked and shown', async () => {
  const client = await mail.connect();
  const { address, domain } = mail.user;
  const refused = [
    'MAIL FROM:<s@s.test> RET=ALL',
    'MAIL FROM:<s@s.test> RET=FULL RET=HDRS',
    'MAIL FROM:<s@s.test> ENVID',
    'MAIL FROM:<s@s.test> ENVID=a+0D+0Ab',
    'MAIL FROM:<s@s.test> ENVID=a+zzb',
    `MAIL FROM:<s@s.test> ENVID=${'a'.repeat(101)}`,
  ];
  for (const line of refused) assert.match(await client.command(line), /^501 5\./, line);
  assert.match(await client.command('MAIL FROM:<s@s.test> HOLDFOR=60'), /^555 5\.5\.4 HOLDFOR /);
  assert.match(await client.command('MAIL FROM:<s@s.test> RET=hdrs ENVID=QQ+2B314'), /^250/);
  const bad = ['NOTIFY=SOMETIMES', 'NOTIFY=NEVER,DELAY', 'NOTIFY=DELAY,delay', 'NOTIFY', 'ORCPT=nobody'];
  for (const parameter of [...bad, 'ORCPT=rfc822;a+zz', `ORCPT=rfc822;${'a'.repeat(500)}`])
    assert.match(await client.command(`RCPT TO:<${address}> ${parameter}`), /^501 5\./, parameter);
  assert.match(await client.command(`RCPT TO:<${address}> RRVS=now`), /^555 5\.5\.4 RRVS /);
  const asked = `RCPT TO:<${address}> NOTIFY=SUCCESS,delay ORCPT=rfc822;Bob+2Bx@s.test`;
  assert.match(await client.command(asked), /^250/);
  const tagged = `qa+tag@${domain.domain}`;
  assert.match(await client.command(`RCPT TO:<${tagged}>`), /^250/);
  await client.command('DATA');
  await client.write('Subject: x\r\n\r\ny\r\n.\r\n');
  const [id = 0] = mail.idsOf(await client.reply());
  const { envelope } = await ok(mail.user.api.get(`/api/messages/${id}`));
  assert.deepEqual(envelope.dsn, {
    ret: 'HDRS',
    envid: 'QQ+314',
    recipients: [{ address, notify: ['SUCCESS', 'DELAY'], orcpt: 'rfc822;Bob+x@s.test' }],
  });
  const [plain = 0] = mail.idsOf(await client.send('s@s.test', [address], 'Subject: x\r\n\r\n'));
  assert.equal((await ok(mail.user.api.get(`/api/messages/${plain}`))).envelope.dsn, null);
  client.destroy();
});

test('the texts of notifications are bounded a mail, and ordinary ones of 100 recipients are taken', async () => {
  const client = await mail.connect();
  const { domain } = mail.user;
  const name = (index: number) => `qa+tag${index}@${domain.domain}`;
  const rcpt = (index: number, length: number) =>
    client.command(`RCPT TO:<${name(index)}> ORCPT=rfc822;${'x'.repeat(length - 7)}`);
  await client.command(`MAIL FROM:<s@s.test> ENVID=${'e'.repeat(100)}`);
  for (let index = 0; index < 100; index += 1) assert.match(await rcpt(index, 70), /^250/);
  await client.command('DATA');
  await client.write('Subject: x\r\n\r\ny\r\n.\r\n');
  assert.match(await client.reply(), /^250 2\.6\.0/);
  const reached = async () => (await limitsReached(mail.program.opsPorts.smtp)).get('smtp.dsnCharacters');
  assert.equal(await reached(), undefined);
  await client.command('MAIL FROM:<s@s.test>');
  for (let index = 0; index < 16; index += 1) assert.match(await rcpt(index, 500), /^250/);
  for (let index = 16; index < 40; index += 1) assert.match(await rcpt(index, 500), /^452 4\.5\.3 The ORCPT/);
  assert.match(await rcpt(0, 500), /^250/, 'a repeated recipient adds none');
  assert.match(await client.command(`RCPT TO:<${name(41)}>`), /^250/);
  assert.equal(await reached(), 24);
  client.destroy();
});
