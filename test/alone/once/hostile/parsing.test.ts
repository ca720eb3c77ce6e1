import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onTheWire, SmtpClient } from '#test/support/clients/smtp-client.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';

const mail = await forAllTests(startMailProgram({}));
const victim = await createUser(mail.program);

const addressFields = (value: string) =>
  ['From', 'To', 'Cc', 'Bcc', 'Reply-To'].map((name) => `${name}: ${value}\r\n`).join('');

const mails: Record<string, () => string> = {
  'escaped quotes in address fields': () => `${addressFields('\\"'.repeat(5_000))}\r\n`,
  'commas in address fields': () => `${addressFields('a,'.repeat(25_000))}\r\n`,
  'brackets in address fields': () => `${addressFields('<'.repeat(50_000))}\r\n`,
  'comments in address fields': () => `${addressFields('('.repeat(50_000))}\r\n`,
  'groups in address fields': () => `${addressFields('a:b;'.repeat(12_000))}\r\n`,
  'encoded words': () =>
    `Subject: ${'=?utf-8?q?=C3?= '.repeat(8_000)}\r\n${addressFields('=?utf-8?b?w6Q=?= '.repeat(3_000))}\r\n`,
  'a text of 24 MB': () => `Subject: long\r\n\r\n${'All work and no play. '.repeat(1_000_000)}`,
  'HTML of 8 MB': () => `Content-Type: text/html\r\n\r\n${'<a href="http://a.test/">b</a>'.repeat(270_000)}`,
  'HTML of unclosed tags': () => `Content-Type: text/html\r\n\r\n${'<div '.repeat(180_000)}`,
  'a letter with thousands of marks': () =>
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${Buffer.from(`a${'\u0301'.repeat(32_500)}${'\u0327'.repeat(32_500)}`).toString('latin1')}\r\n`,
  'a thousand parts': () =>
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(20_000)}--b--\r\n`,
};

for (const [what, build] of Object.entries(mails)) {
  test(`nobody waits for ${what}`, async () => {
    const message = onTheWire(build());
    const connections = message.length > 2_000_000 ? 1 : 4;
    const harm = await measureHarm(mail.program, victim, () =>
      Promise.all(
        Array.from({ length: connections }, async () => {
          const client = await SmtpClient.open(mail.program.smtpPort, '127.0.0.2');
          await client.begin('a@x.test', [mail.user.address]);
          await client.write(message);
          assert.match(await client.reply(), /^250 /);
          client.destroy();
        }),
      ),
    );
    assertUnharmed(harm, { memoryBytes: 400e6 });
  });
}
