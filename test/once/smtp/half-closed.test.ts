import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onTheWire, SmtpClient } from '#test/support/clients/smtp-client.ts';
import { configOf, listen, memoryServices } from '#test/support/program/smtp-services.ts';

const message = 'Subject: a\r\n\r\nb\r\n';
const byDots = `DATA\r\n${onTheWire(message)}`;
const byChunk = `BDAT ${message.length} LAST\r\n${message}`;

/** Bytes that a client sends in one write before it closes its side, and the replies that it still gets. */
const cases: [name: string, sent: string, replies: RegExp[]][] = [
  ['the last chunk and QUIT', `${byChunk}QUIT\r\n`, [/^250 2\.6\.0 stored/, /^221 /, /^$/]],
  ['content and QUIT', `${byDots}QUIT\r\n`, [/^354 /, /^250 2\.6\.0 stored/, /^221 /, /^$/]],
  ['QUIT in small letters', `${byChunk}quit\r\n`, [/^250 2\.6\.0 stored/, /^221 /, /^$/]],
  ['QUIT in a content without an end', 'DATA\r\nQUIT\r\n', [/^354 /, /^$/]],
];

for (const transport of ['plain', 'STARTTLS', 'implicit TLS']) {
  for (const [name, sent, replies] of cases) {
    test(`a client that closes its side gets its replies: ${name}, ${transport}`, async (t) => {
      const config = configOf({ SANDPOST_SMTP_TLS: 'self-signed', SANDPOST_SMTPS_PORT: '0' });
      const { services } = memoryServices({ config });
      const closed = Promise.withResolvers<void>();
      const { commit } = services.deliveries;
      services.deliveries.commit = async (...args) => {
        await closed.promise;
        return commit(...args);
      };
      const { port, tlsPort } = await listen(t, services);
      const open = async () => {
        if (transport === 'implicit TLS') return SmtpClient.openTls(tlsPort);
        const plain = await SmtpClient.open(port);
        if (transport === 'plain') return plain;
        const upgraded = await plain.startTls();
        await upgraded.command('EHLO client.test');
        return upgraded;
      };
      const client = await open();
      await client.command('MAIL FROM:<s@s.test>');
      await client.command('RCPT TO:<x@known.test>');
      await client.write(sent);
      await new Promise<void>((resolve) => client.socket.end(() => resolve()));
      // The server answers a later connection after it has seen this one end.
      (await SmtpClient.open(port)).destroy();
      closed.resolve();
      for (const wanted of replies) assert.match(await client.reply(), wanted);
      await client.closed;
    });
  }
}
