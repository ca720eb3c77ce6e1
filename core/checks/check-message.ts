import type { Caller } from '#core/access/caller.ts';
import type { Finding } from '#core/audit/finding.ts';
import type { Id } from '#core/ids.ts';
import type { AuditChecks, MessageContent } from '#core/messages/content.ts';
import type { Message, MessageStore } from '#core/messages/message.ts';
import { type ReadPorts, readMessage, readRaw } from '#core/messages/read-message.ts';
import type { Job, Requester } from '#core/messages/requester.ts';
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

/** Parts of a message that the checks read beside its HTML. */
export type MailToInspect = Pick<MessageContent, 'subject' | 'text' | 'links' | 'headers'> & {
  dkim: MessageContent['authentication']['dkim'];
};

export type Inspection = { htmlBytes: number; uses: FeatureUse[]; findings: Finding[] };

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
  clientTable: ClientTable;
  inspectMail: Job<[html: string | null, mail: MailToInspect], Inspection>;
  spamFilter: SpamFilter | null;
};

/**
 * Inspects a message's content, which is read only when it is the user's turn. Throws TooMany, Overloaded, and whatever `read` throws.
 */
export function inspectMessage(
  { inspectMail }: Pick<Ports, 'inspectMail'>,
  requester: Requester,
  read: () => Promise<Message['content']>,
): Promise<Inspection> {
  return inspectMail(requester, async () => {
    const { html, subject, text, links, headers, authentication } = await read();
    return [html, { subject, text, links, headers, dkim: authentication.dkim }];
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
  const { clientTable, spamFilter } = ports;
  const chosen = chooseClients(clientTable, names);
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
    ...judgeClients(clientTable, uses, chosen),
    families: familiesOf(clientTable),
    dataDate: clientTable.date,
    findings: sorted,
    size: { htmlBytes, clipped: htmlBytes > clippedFrom },
    spam: spamFilter && (await ask(spamFilter)),
  };
}
