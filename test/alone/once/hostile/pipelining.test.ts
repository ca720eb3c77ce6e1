import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { scene } from '#test/support/program/scene.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: victim } = await scene({});

const patienceMs = 1000;

/** Sends bytes over many connections at the same time and drops the replies, until the server has closed or is silent. */
async function flood(connections: number, bytes: Buffer, read = true): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket: Socket = connect({ port: program.smtpPort, host: '127.0.0.1' });
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (read) socket.resume();
      const closed = once(socket, 'close');
      socket.setTimeout(patienceMs, () => socket.destroy());
      socket.write(bytes);
      socket.end('QUIT\r\n');
      await closed;
    }),
  );
}

const repeat = (line: string, bytes: number) => line.repeat(Math.ceil(bytes / line.length));
const inTransaction = (commands: string) => Buffer.from(`EHLO x\r\nMAIL FROM:<a@b.c>\r\n${commands}`);
const size = 64 * 1024;
/** Size of lines that cost the server more. */
const half = size / 2;

const floods: Record<string, () => Buffer> = {
  'RCPT of unknown domains': () => inTransaction(repeat('RCPT TO:<z@n.test>\r\n', 4 * size)),
  'RCPT of one account': () => inTransaction(repeat(`RCPT TO:<${victim.address}>\r\n`, half)),
  'RCPT of many tags of one account': () =>
    inTransaction(
      Array.from({ length: 2500 }, (_, at) => `RCPT TO:<${victim.address.replace('@', `+${at}@`)}>\r\n`).join(
        '',
      ),
    ),
  'RCPT of bad addresses': () => inTransaction(repeat('RCPT TO:<"\\"\\"">\r\n', size)),
  'RCPT and RSET': () =>
    Buffer.from(`EHLO x\r\n${repeat(`MAIL FROM:<a@b.c>\r\nRCPT TO:<${victim.address}>\r\nRSET\r\n`, size)}`),
  NOOP: () => inTransaction(repeat('NOOP\r\n', half)),
  VRFY: () => inTransaction(repeat('VRFY x\r\n', half)),
  EHLO: () => Buffer.from(repeat('EHLO x\r\n', half)),
  'MAIL with bad parameters': () => Buffer.from(`EHLO x\r\n${repeat('MAIL FROM:<a@b.c> SIZE=x\r\n', size)}`),
  'DATA without recipients': () => inTransaction(repeat('DATA\r\n', size)),
  'control characters': () => Buffer.from(repeat('NO\u0001OP\r\n', size)),
  'mails of only dots': () =>
    inTransaction(`RCPT TO:<${victim.address}>\r\nDATA\r\n${repeat('.x\r\n', size)}\r\n.\r\n`),
};

for (const [what, bytes] of Object.entries(floods)) {
  test(`nobody waits for pipelined ${what}`, async () => {
    const sent = bytes();
    assertUnharmed(await measureHarm(program, victim, () => flood(20, sent)));
  });
}

test('nobody waits for clients that do not read the replies', async () => {
  const bytes = inTransaction(repeat('NOOP\r\n', 512 * 1024));
  assertUnharmed(await measureHarm(program, victim, () => flood(20, bytes, false)));
});

test('nobody waits for many short connections', async () => {
  const hello = Buffer.from('EHLO x\r\n');
  assertUnharmed(
    await measureHarm(program, victim, async () => {
      for (let round = 0; round < 20; round++) await flood(20, hello);
    }),
  );
});

test('twenty refused recipients end a session, over all of its mails, and make two lines of log', async () => {
  const lines = (event: string) => program.log.filter((line) => line.event === event);
  const before = [lines('mail.refused').length, lines('mail.refused_more').length];
  const client = await SmtpClient.open(program.smtpPort);
  for (let mail = 0; mail < 4; mail++) {
    await client.command('MAIL FROM:<a@b.c>');
    for (let at = 0; at < 5; at++) assert.match(await client.command('RCPT TO:<z@n.test>'), /^550 5\.7\.1/);
    assert.match(await client.command(`RCPT TO:<${victim.address}>`), /^250/);
    await client.command('RSET');
  }
  await client.command('MAIL FROM:<a@b.c>');
  assert.match(await client.command(`RCPT TO:<${victim.address}>`), /^250/);
  assert.match(await client.command('RCPT TO:<z@n.test>'), /^421 4\.7\.0/);
  await client.closed;
  await until(() => lines('mail.refused_more').length > (before[1] ?? 0));
  assert.deepEqual(
    [lines('mail.refused').length, lines('mail.refused_more').length],
    [(before[0] ?? 0) + 1, (before[1] ?? 0) + 1],
  );
  assert.equal(lines('mail.refused_more').at(-1)?.recipients, 20);
});
