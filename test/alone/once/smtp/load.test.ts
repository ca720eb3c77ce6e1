import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';

const mail = await forAllTests(startMailProgram({}));

/** Returns the program's resident memory in MiB, current (`VmRSS`) or peak (`VmHWM`). */
function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${mail.program.pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test('greets at once', async (t) => {
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
    const started = performance.now();
    const client = new SmtpClient(mail.program.smtpPort);
    await client.reply();
    times.push(performance.now() - started);
    client.destroy();
  }
  const time = median(times);
  t.diagnostic(`median time to the greeting, connecting included: ${time.toFixed(2)} ms`);
  assert.ok(time < 50, `${time} ms`);
});

test('command lines without end cost no memory, and others are served meanwhile', async (t) => {
  const before = memory('VmRSS');
  const piece = Buffer.alloc(65_536, 'a');
  const senders = Array.from({ length: 100 }, async (_, index) => {
    const client = new SmtpClient(mail.program.smtpPort, '127.0.0.1', `127.0.2.${1 + (index % 100)}`);
    await client.reply();
    for (let sent = 0; sent < 64 * 1024 * 1024 && !client.socket.destroyed; sent += piece.length) {
      await client.write(piece);
    }
    assert.match(await client.reply(), /^500 5\.5\.2|^$/);
    client.destroy();
  });
  const healthy = await mail.connect();
  const started = performance.now();
  assert.match(await healthy.send('s@s.test', [mail.user.address], 'Subject: a\r\n\r\nb\r\n'), /^250/);
  const waited = performance.now() - started;
  await Promise.all(senders);
  const growth = memory('VmRSS') - before;
  t.diagnostic(`a mail meanwhile: ${waited.toFixed(0)} ms; memory grew by ${growth.toFixed(0)} MiB`);
  assert.ok(growth < 64, `${growth} MiB`);
  assert.ok(waited < 1000, `${waited} ms`);
  await healthy.quit();
});

test('one line of 200 MiB is refused, and not kept in memory', async (t) => {
  const before = memory('VmHWM');
  const client = await mail.connect();
  await client.begin('s@s.test', [mail.user.address]);
  const piece = Buffer.alloc(1024 * 1024, 'a');
  for (let sent = 0; sent < 200; sent++) await client.write(piece);
  await client.write('\r\n.\r\n');
  assert.match(await client.reply(), /^552 5\.3\.4/);
  assert.match(await client.send('s@s.test', [mail.user.address], 'Subject: a\r\n\r\nb\r\n'), /^250/);
  const growth = memory('VmHWM') - before;
  t.diagnostic(`the highest memory grew by ${growth.toFixed(0)} MiB`);
  assert.ok(growth < 128, `${growth} MiB`);
  await client.quit();
});

test('eight mails of 25 MiB at once cost little memory', async (t) => {
  const before = memory('VmRSS');
  const line = `${'0123456789abcdef'.repeat(4)}\r\n`;
  const header =
    'Subject: large\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  const message = Buffer.from(header + line.repeat(Math.floor(26_000_000 / line.length)));
  const started = performance.now();
  const ids = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const client = await mail.connect();
      const reply = await client.send('s@s.test', [mail.user.address], message, 262_144);
      await client.quit();
      return mail.idsOf(reply);
    }),
  );
  const growth = memory('VmHWM') - before;
  const seconds = (performance.now() - started) / 1000;
  t.diagnostic(`${seconds.toFixed(1)} s; the highest memory was ${growth.toFixed(0)} MiB more than before`);
  // Emails kept in memory would need 200 MiB, and as much again for the parser.
  assert.ok(growth < 250, `${growth} MiB`);
  for (const id of ids.flat()) assert.ok(message.equals(await mail.raw(id)));
});
