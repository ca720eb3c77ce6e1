import { type DnsServer, startDnsServer, type ZoneEntry } from '#test/support/clients/dns-server.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { type Program, startProgram } from './program.ts';
import { sharedProgram } from './scene.ts';
import { createUser, ok, type User } from './user.ts';

/** Real program with a user, for tests that send it mail. Its DNS server answers immediately, from `dns.zones`. */
export type MailProgram = {
  program: Program;
  user: User;
  dns: DnsServer;
  /** Returns the message IDs in a 250 reply. */
  idsOf(reply: string): number[];
  /** Returns a message's stored bytes. */
  raw(id: number): Promise<Buffer>;
  /** Counts the messages in the user's account. */
  count(): Promise<number>;
  connect(): Promise<SmtpClient>;
  stop(): Promise<void>;
};

/** Without settings, all files in the process share the program and the DNS server. With settings, the caller gets separate ones. */
export async function startMailProgram(
  settings?: Record<string, string>,
  zones: Record<string, ZoneEntry> = {},
): Promise<MailProgram> {
  const { program, dns } = await (settings === undefined ? sharedProgram() : ownProgram(settings));
  Object.assign(dns.zones, zones);
  const user = await createUser(program, { storage_limit: 10_000_000_000 });
  return {
    program,
    user,
    dns,
    idsOf(reply) {
      const ids = /^250 2\.6\.0 stored as ([\d,]+)$/.exec(reply)?.[1];
      if (ids === undefined) throw new Error(`not stored: ${reply}`);
      return ids.split(',').map(Number);
    },
    raw: async (id) => (await user.api.get(`/api/messages/${id}/raw`)).body,
    async count() {
      const { mailboxes } = await ok(user.api.get(`/api/accounts/${user.account.id}`));
      return mailboxes.reduce(
        (sum: number, mailbox: { totalMessages: number }) => sum + mailbox.totalMessages,
        0,
      );
    },
    connect: () => SmtpClient.open(program.smtpPort),
    async stop() {
      if (settings === undefined) return;
      await program.stop();
      await dns.close();
    },
  };
}

async function ownProgram(settings: Record<string, string>) {
  const dns = await startDnsServer();
  const usual = { SANDPOST_DNS_SERVERS: dns.address, SANDPOST_RATE_LIMIT: '1000000' };
  return { program: await startProgram({ ...usual, ...settings }), dns };
}
