import { uptime } from 'node:os';
import { CheckBudget } from '#adapters/mail-auth/budget.ts';
import { createAuthenticator } from '#adapters/mail-auth/mail-auth.ts';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import { messageShape, shownMessage } from '#api/shapes/message.ts';
import { summaryShape } from '#api/shapes/message-summary.ts';
import { presentList } from '#api/shapes/page.ts';
import { audit } from '#core/audit/audit.ts';
import { contentOf, type MailRecord, mailRecord } from '#core/messages/mail-record.ts';
import type { Message } from '#core/messages/message.ts';
import { createSmtp } from '#smtp/server.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { arrival } from '#test/support/program/arrival.ts';
import { memoryServices } from '#test/support/program/smtp-services.ts';
import { startDns } from './dns-responder.ts';
import { letters, mailFrom } from './mails.ts';

const to = 'qa@known.test';
const nextWireMail = letters(to, 1);
/** Returns the next letter without the line that ends DATA. */
const nextLetter = () => nextWireMail().subarray(0, -'.\r\n'.length);
const dns = await startDns();
const authenticator = createAuthenticator({ dnsServers: [dns.address] });
const links = { url: (path: string) => path };

/** Does what the thread that examines mail does with an email. */
async function examine(): Promise<MailRecord> {
  const bytes = nextLetter();
  const arrived = { ...arrival, mailFrom, helo: 'client.test', remoteAddress: '127.0.0.1' };
  const budget = new CheckBudget(Number.POSITIVE_INFINITY);
  const [parsed, checked] = await Promise.all([
    parseMail(bytes, arrived),
    authenticator.authenticate(bytes, arrived, budget),
  ]);
  const facts = { ...parsed.facts, maxBytes: 1e9, limitsReached: [], assumedClientIp: undefined };
  const { authentication } = checked;
  return mailRecord({ ...parsed.content, authentication, audit: audit({ ...facts, ...checked }) });
}

/** Creates a stored message from a record. */
function messageOf(record: MailRecord): Message {
  const content = contentOf(record);
  const { msgid, subject, intro, from, to: recipients } = content;
  const toAddresses = recipients.map(({ address }) => address);
  const shown = { msgid, subject, intro, toAddresses, fromAddress: from?.address ?? '' };
  const place = { id: 7, number: 7, accountId: 1, mailboxId: 1, threadId: null, copy: false };
  const state = { isRead: false, isFlagged: false, autoDelete: false, expiresAt: null, tags: [] };
  const peer = { remoteAddress: '127.0.0.1', helo: 'client.test', receivedBy: 'mx.test', tls: false };
  const envelope = { mailFrom, rcptTo: [to], ...peer };
  return {
    ...{ ...place, ...shown, ...state, content, envelope, deliveredTo: to, tag: null, traceId: null },
    ...{ code: null, mainLink: null, fromName: from?.name ?? null, hasAttachments: false },
    receivedAt: arrival.receivedAt,
    sizeBytes: 4096,
  };
}

// Made before anything is counted.
const message = messageOf(await examine());
const items = Array<Message>(50).fill(message);
const { smtp } = createSmtp(memoryServices().services);
const port = await smtp.listen();

/** Receives emails by SMTP, without examining or storing them. */
async function receive(count: number, perConnection: number): Promise<void> {
  for (let sent = 0; sent < count; sent += perConnection) {
    const client = await SmtpClient.open(port);
    for (let mail = 0; mail < perConnection; mail++) {
      const reply = await client.send(mailFrom, [to], nextLetter());
      if (!reply.startsWith('250')) throw new Error(`an email was refused: ${reply}`);
    }
    await client.quit();
  }
}

/** Parts of the program, by name, that run in one thread. Each does its work `count` times. The counter sees the calls of `uptime`. */
const work: Record<string, (count: number) => Promise<void>> = {
  async 'examine an email'(count) {
    for (let done = 0; done < count; done++) await examine();
  },
  async 'present a message'(count) {
    for (let done = 0; done < count; done++)
      JSON.stringify(messageShape.present(shownMessage(message, links)));
  },
  async 'present a list of 50'(count) {
    for (let done = 0; done < count; done++)
      JSON.stringify(presentList({ items, total: items.length }, { page: 1, limit: 50 }, summaryShape));
  },
  'receive an email on a kept connection': (count) => receive(count, count),
  'receive an email on its own connection': (count) => receive(count, 1),
};

/** Repetitions, for which functions are compiled and caches filled first. More of them where sockets make the count vary. */
const timesOf = (name: string) => (name.startsWith('receive') ? 60 : 20);

const counted: { name: string; times: number }[] = [];
for (const [name, repeat] of Object.entries(work)) {
  const times = timesOf(name);
  await repeat(times);
  uptime();
  await repeat(times);
  uptime();
  counted.push({ name, times });
}
process.stdout.write(JSON.stringify(counted));
await smtp.close();
dns.close();
