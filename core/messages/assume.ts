import type { Id } from '#core/ids.ts';
import type { Assumed, MailExaminer } from './examine.ts';
import { contentOf } from './mail-record.ts';
import type { Message, MessageStore } from './message.ts';
import { type ReadPorts, readMessage, readRaw } from './read-message.ts';

type Ports = ReadPorts & {
  messages: Pick<MessageStore, 'raw'>;
  reexaminer: Pick<MailExaminer, 'examine'>;
};

/** Facts to assume about an email. `clientIp`, `helo` and `mailFrom` default to the values in its envelope. */
export type Facts = Omit<Assumed, 'user'> & { clientIp?: string; helo?: string; mailFrom?: string };

/**
 * Evaluates what SPF, DKIM, DMARC, ARC and the audit would say about a message's bytes if the facts were different. Returns the message
 * with these results and stores nothing. Judges signatures as of the message's arrival. Throws NotFound and TooMany.
 */
export async function authenticateWith(
  ports: Ports,
  user: Id,
  owner: Id,
  id: Id,
  { clientIp, helo, mailFrom, records, dns }: Facts,
): Promise<Message> {
  const raw = await readRaw(ports, owner, id);
  const { envelope, receivedAt, smtpUtf8 } = arrivalOf(await readMessage(ports, owner, id));
  const record = await ports.reexaminer.examine(raw, {
    mailFrom: mailFrom ?? envelope.mailFrom,
    helo: helo ?? envelope.helo,
    remoteAddress: clientIp ?? envelope.remoteAddress,
    receivedBy: envelope.receivedBy,
    receivedAt,
    smtpUtf8,
    submitted: false,
    assumed: { user, records, dns },
  });
  const { authentication, audit } = contentOf(record);
  // Reads the message again. Otherwise, if a user has many requests waiting, all their messages would be in memory.
  const message = await readMessage(ports, owner, id);
  return { ...message, content: { ...message.content, authentication, audit } };
}

/** The envelope does not record whether MAIL declared SMTPUTF8, but the audit's finding does. */
function arrivalOf({ envelope, receivedAt, content }: Message) {
  const smtpUtf8 = !content.audit.warning.some((check) => check.id === 'eight-bit-header');
  return { envelope, receivedAt, smtpUtf8 };
}
