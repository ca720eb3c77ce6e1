import type { Id } from '#core/ids.ts';
import type { Assumed, MailExaminer } from './examine.ts';
import { contentOf } from './mail-record.ts';
import type { Message, MessageStore } from './message.ts';
import { type ReadPorts, readMessage, readRaw } from './read-message.ts';

type Ports = ReadPorts & {
  messages: Pick<MessageStore, 'raw'>;
  reexaminer: Pick<MailExaminer, 'examine'>;
};

/** Facts that are assumed of a mail. `clientIp`, `helo` and `mailFrom` are those of its envelope where they are missing. */
export type Facts = Omit<Assumed, 'user'> & { clientIp?: string; helo?: string; mailFrom?: string };

/**
 * Tells what SPF, DKIM, DMARC, ARC and the audit would say of the bytes of a message with other facts. Returns the message with
 * these results, and stores nothing. Signatures are judged by the time of its arrival. Throws NotFound.
 */
export async function authenticateWith(
  ports: Ports,
  user: Id,
  owner: Id,
  id: Id,
  facts: Facts,
): Promise<Message> {
  return authenticateMessage(ports, user, owner, await readMessage(ports, owner, id), facts);
}

/** Does so for a message that was read. */
export async function authenticateMessage(
  ports: Ports,
  user: Id,
  owner: Id,
  message: Message,
  { clientIp, helo, mailFrom, records, dns }: Facts,
): Promise<Message> {
  const raw = await readRaw(ports, owner, message.id);
  const { envelope, receivedAt, content } = message;
  const record = await ports.reexaminer.examine(raw, {
    mailFrom: mailFrom ?? envelope.mailFrom,
    helo: helo ?? envelope.helo,
    remoteAddress: clientIp ?? envelope.remoteAddress,
    receivedBy: envelope.receivedBy,
    receivedAt,
    // The envelope does not keep it, but its finding does.
    smtpUtf8: !content.audit.warning.some((check) => check.id === 'eight-bit-header'),
    submitted: false,
    assumed: { user, records, dns },
  });
  const { authentication, audit } = contentOf(record);
  return { ...message, content: { ...content, authentication, audit } };
}
