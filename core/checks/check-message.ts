import type { Caller } from '#core/access/caller.ts';
import type { Finding } from '#core/audit/finding.ts';
import type { Id } from '#core/ids.ts';
import type { AuditChecks, MessageContent } from '#core/messages/content.ts';
import type { Message, MessageStore } from '#core/messages/message.ts';
import { type ReadPorts, readMessage, readRaw } from '#core/messages/read-message.ts';
import type { Requester } from '#core/messages/requester.ts';
import {
  type ClientsVerdict,
  type ClientTable,
  chooseClients,
  type FeatureUse,
  familiesOf,
  judgeClients,
} from './client-support.ts';
import { clippedFrom } from './findings.ts';
import type { SpamFilter, SpamVerdict } from './spam.ts';

/** Parts of a message that the checks read. */
export type MailToInspect = Pick<MessageContent, 'subject' | 'text' | 'html' | 'links' | 'headers'> & {
  dkim: MessageContent['authentication']['dkim'];
};

export type Inspection = { htmlBytes: number; uses: FeatureUse[]; findings: Finding[] };

/** Reads emails in a separate thread. */
export type MailInspector = {
  table: ClientTable;
  /**
   * Inspects an email. Users take turns. Calls `read` only when it is the user's turn, so each user has one email in memory. Throws
   * TooMany, Overloaded, and whatever `read` throws.
   */
  inspect(requester: Requester, read: () => Promise<MailToInspect>): Promise<Inspection>;
};

export type MessageChecks = ClientsVerdict & {
  /** All available choices. */
  families: string[];
  dataDate: string;
  findings: AuditChecks;
  size: { htmlBytes: number; clipped: boolean };
  /** Spam filter. Null if none is configured. */
  spam: SpamVerdict | null;
};

type Ports = ReadPorts & {
  messages: Pick<MessageStore, 'raw'>;
  inspector: MailInspector;
  spamFilter: SpamFilter | null;
};

/**
 * Inspects a message's content, which is read only when it is the user's turn. Throws TooMany, Overloaded, and whatever `read` throws.
 */
export function inspectMessage(
  { inspector }: Pick<Ports, 'inspector'>,
  requester: Requester,
  read: () => Promise<Message['content']>,
): Promise<Inspection> {
  return inspector.inspect(requester, async () => {
    const { subject, text, html, links, headers, authentication } = await read();
    return { subject, text, html, links, headers, dkim: authentication.dkim };
  });
}

/** Checks how clients show a message, and what readers and spam filters see in it. Throws NotFound, and throws Invalid for `clients`. */
export async function checkMessage(
  ports: Ports,
  { team, userId }: Pick<Caller, 'team' | 'userId'>,
  id: Id,
  names: string[] | null,
  signal: AbortSignal,
): Promise<MessageChecks> {
  const { inspector, spamFilter } = ports;
  const chosen = chooseClients(inspector.table, names);
  const read = () => readMessage(ports, team, id);
  const requester = { user: userId, signal };
  const { htmlBytes, uses, findings } = await inspectMessage(
    ports,
    requester,
    async () => (await read()).content,
  );
  const ask = async (filter: SpamFilter) => {
    const { envelope, receivedAt } = await read();
    return filter.judge(userId, await readRaw(ports, team, id), { ...envelope, receivedAt });
  };
  const sorted: AuditChecks = { critical: [], warning: [], info: [], passed: [] };
  for (const { severity, ...check } of findings) sorted[severity].push(check);
  return {
    ...judgeClients(inspector.table, uses, chosen),
    families: familiesOf(inspector.table),
    dataDate: inspector.table.date,
    findings: sorted,
    size: { htmlBytes, clipped: htmlBytes > clippedFrom },
    spam: spamFilter && (await ask(spamFilter)),
  };
}
