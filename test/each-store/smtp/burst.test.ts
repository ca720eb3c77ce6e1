import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';

const senders = 500;

test('500 connections from one address at once are all served, and the next is told to wait', async (t) => {
  const mail = await startMailProgram({ SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS: String(senders) });
  t.after(() => mail.stop());
  const { smtpPort } = mail.program;
  const clients = await Promise.all(Array.from({ length: senders }, () => SmtpClient.open(smtpPort)));
  const extra = new SmtpClient(smtpPort);
  assert.match(await extra.reply(), /^421 4\.7\.0/);
  const replies = await Promise.all(
    clients.map((client, index) =>
      client.send('shop@example.com', [mail.user.address], `Subject: ${index}\r\n\r\nHello.\r\n`),
    ),
  );
  const ids = replies.flatMap((reply) => mail.idsOf(reply));
  assert.equal(new Set(ids).size, senders);
  assert.equal(await mail.count(), senders);
  for (const client of clients) client.destroy();
});
