import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { authPlain } from '#test/support/clients/smtp-auth.ts';
import { onTheWire, type SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';

const mail = await startMailProgram();

/** Sequences that a lenient server mistakes for the end of DATA, by their names in smtpsmug. */
const endings: Record<string, string> = {
  lflf: '\n.\n',
  crcr: '\r.\r',
  crlf: '\r.\n',
  lfcr: '\n.\r',
  lfcrlf: '\n.\r\n',
  crlflf: '\r\n.\n',
  crcrlf: '\r.\r\n',
  crlfcr: '\r\n.\r',
  'NUL before': '\r\n\0.\r\n',
  'NUL after': '\r\n.\0\r\n',
};

/** Sessions that mail arrives in. */
const sessions: Record<string, () => Promise<SmtpClient>> = {
  'of anybody': () => mail.connect(),
  async 'that is signed in'() {
    const client = await mail.connect();
    assert.match(await client.command(authPlain('apikey', mail.user.key)), /^235/);
    return client;
  },
};

const cases = Object.entries(endings).flatMap(([name, ending]) =>
  Object.entries(sessions).map(([session, open]) => ({ name, ending, session, open })),
);

for (const { name, ending, session, open } of cases) {
  test(`no second message by ${name} in a session ${session}, wherever the packets part`, async () => {
    const { address } = mail.user;
    const smuggled = `MAIL FROM:<i@s.test>\r\nRCPT TO:<${address}>\r\nDATA\r\nb\r\n`;
    const wire = `Subject: a\r\n\r\nx${ending}${smuggled}.\r\n`;
    // A leading dot is stuffing: the rest of the line is kept (RFC 5321 section 4.5.2).
    const kept = `Subject: a\r\n\r\nx${ending.replace('\r\n.', '\r\n')}${smuggled}`;
    const around = wire.indexOf(ending);
    const splits = Array.from({ length: ending.length + 5 }, (_, index) => around - 2 + index);
    const client = await open();
    const before = await mail.count();
    const ids: number[] = [];
    for (const split of [...splits, wire.length - 3, wire.length - 2, wire.length - 1]) {
      assert.match(await client.begin('s@s.test', [address]), /^354/);
      await client.write(wire.slice(0, split));
      await client.write(wire.slice(split));
      ids.push(...mail.idsOf(await client.reply()));
      assert.match(await client.command('NOOP'), /^250 2\.0\.0/);
    }
    await client.quit();
    assert.equal(await mail.count(), before + ids.length);
    for (const id of ids) assert.equal((await mail.raw(id)).toString('latin1'), kept);
  });
}

for (const [session, open] of Object.entries(sessions)) {
  test(`no second message out of a chunk in a session ${session}: its octets are the message`, async () => {
    const { address } = mail.user;
    const client = await open();
    const before = await mail.count();
    const commands = `RSET\r\nMAIL FROM:<i@s.test>\r\nRCPT TO:<${address}>\r\nDATA\r\nb\r\n.\r\nBDAT 0 LAST\r\n`;
    for (const ending of ['\r\n.\r\n', '\r\nBDAT 0 LAST\r\n', ...Object.values(endings)]) {
      const message = `Subject: a\r\n\r\nx${ending}${commands}`;
      const [id = 0] = mail.idsOf(await client.sendChunks('s@s.test', [address], Buffer.from(message)));
      assert.equal((await mail.raw(id)).toString('latin1'), message);
    }
    await client.quit();
    assert.equal(await mail.count(), before + Object.keys(endings).length + 2);
  });
}

/** Composes an email of lines that are hard to parse: dots, lone CR and LF, NUL, 8-bit. No line is too long. */
function generate(seed: number): Buffer {
  const parts = ['.', '..', '.\r\n', '\r\n', '\r', '\n', '\0', 'ä', 'text', '.text', '\r\n.\r', '\r\n..\r\n'];
  const lines = Array.from(
    { length: 60 },
    (_, i) => parts[(seed * 7 + i * i + ((seed * i) >> 3)) % parts.length],
  );
  return Buffer.from(`Subject: ${seed}\r\n\r\n${lines.join('')}\r\n`);
}

test('the same bytes are stored for packets of any size', async () => {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  await Promise.all(
    [1, 2, 3, 7, 64, 1460].map(async (size, index) => {
      const client = await mail.connect();
      for (let seed = index; seed < 200; seed += size === 1 ? 12 : 6) {
        const message = generate(seed);
        const [id = 0] = mail.idsOf(await client.send('s@s.test', [mail.user.address], message, size));
        assert.equal(sha256(await mail.raw(id)), sha256(message), `${seed} in packets of ${size}`);
      }
      await client.quit();
    }),
  );
});

test('an oversized mail is not read as commands, and the next mail is taken', async () => {
  const { address } = mail.user;
  const before = await mail.count();
  const client = await mail.connect();
  const commands = `MAIL FROM:<i@s.test>\r\nRCPT TO:<${address}>\r\nDATA\r\nb\r\n`;
  await client.begin('s@s.test', [address]);
  await client.write(onTheWire(`${'a'.repeat(26_214_400)}\r\n${commands.repeat(200)}`), 65_536);
  assert.match(await client.reply(), /^552 5\.3\.4/);
  const large = Buffer.concat([randomBytes(2_000_000), Buffer.from('\r\n')]);
  const [id = 0] = mail.idsOf(await client.send('s@s.test', [address], large, 50_000));
  assert.ok(large.equals(await mail.raw(id)));
  assert.equal(await mail.count(), before + 1);
  await client.quit();
});
