import { inspectMessage } from '#core/checks/check-message.ts';
import {
  type ClientTable,
  chooseClients,
  judgeClients,
  lackedFeatures,
} from '#core/checks/client-support.ts';
import type { Side } from '#core/comparison/compare-mails.ts';
import { invalid, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { MailExaminer } from '#core/messages/examine.ts';
import { contentOf } from '#core/messages/mail-record.ts';
import type { Message } from '#core/messages/message.ts';
import { type ReadPorts, readMessage } from '#core/messages/read-message.ts';
import type { Requester } from '#core/messages/requester.ts';
import type { Clause } from './clause.ts';
import type { ClientsFound } from './evaluate.ts';

type Ports = ReadPorts &
  Parameters<typeof inspectMessage>[0] & {
    clientTable: ClientTable;
    reexaminer: Pick<MailExaminer, 'examine'>;
  };

/** Clients that a clause concerns, and the features that it excludes. */
export type ClientGate = { clients: string[]; ignored: Set<string> };

/**
 * Reads the clause on mail clients, if the assertion has one. Throws Invalid for unknown clients, unknown features or an unknown message
 * to compare with; throws TooMany, Overloaded.
 */
export async function openGate(
  ports: Ports,
  team: Id,
  requester: Requester,
  expect: Clause[],
): Promise<ClientGate | null> {
  const { clientTable: table } = ports;
  const at = expect.findIndex(({ on }) => on === 'clients');
  const clause = expect[at];
  if (clause?.on !== 'clients') return null;
  const clients = chooseClients(table, clause.of);
  const unknown = clause.except.find((slug) => !table.features.has(slug));
  if (unknown !== undefined) {
    const why = `contains "${unknown.slice(0, 100)}", which is not a caniemail.com slug. A message's checks list the slugs`;
    throw invalid(`expect.${at}.clients.except`, why);
  }
  if (clause.comparedWith === null) return { clients, ignored: new Set(clause.except) };
  const { comparedWith } = clause;
  const read = () => contentOfSide(ports, { team, userId: requester.user }, comparedWith);
  const { uses } = await inspectMessage(ports, requester, read).catch((error) => {
    if (error instanceof NotFound)
      throw invalid(`expect.${at}.clients.compared_with`, 'does not name one of your messages');
    throw error;
  });
  return { clients, ignored: new Set([...clause.except, ...uses.map(({ slug }) => slug)]) };
}

/** Judges a message in the mail clients that a clause names. */
export async function judgeByGate(
  ports: Ports,
  requester: Requester,
  { content }: Message,
  { clients, ignored }: ClientGate,
): Promise<ClientsFound> {
  const { uses } = await inspectMessage(ports, requester, async () => content);
  const counted = uses.filter(({ slug }) => !ignored.has(slug));
  const { clients: verdicts, score } = judgeClients(ports.clientTable, counted, clients);
  return { score, lacking: lackedFeatures(verdicts) };
}

async function contentOfSide(
  ports: Ports,
  { team, userId }: { team: Id; userId: Id },
  side: Side,
): Promise<Message['content']> {
  if ('messageId' in side) return (await readMessage(ports, team, side.messageId)).content;
  const record = await ports.reexaminer.examine(side.raw, {
    mailFrom: '',
    helo: null,
    remoteAddress: null,
    receivedBy: '',
    receivedAt: ports.clock(),
    smtpUtf8: true,
    submitted: false,
    // DNS does not matter if only the email's HTML is read.
    assumed: { user: userId, records: [], dns: false },
  });
  return contentOf(record);
}
