import type { AcceptedRecipient } from '#core/delivery/accept-recipient.ts';
import { deliverMail } from '#core/delivery/deliver-mail.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';
import { MailLoop, MessageTooLarge, type Reception } from './reception.ts';
import type { Refusals } from './refusals.ts';
import { failed, type Reply, refusedDelivery, stored } from './replies.ts';

export type MailServices = Pick<
  Services,
  'log' | 'metrics' | 'clock' | 'examiner' | 'commit' | 'bus' | 'receivedBy'
>;

/** Envelope and client of a mail, from the SMTP dialogue. */
export type MailEnvelope = {
  mailFrom: string;
  helo: string;
  remoteAddress: string;
  smtpUtf8: boolean;
  recipients: AcceptedRecipient[];
};

/** Stores a received mail and gives the reply to it. Never rejects. */
export async function takeMail(
  services: MailServices,
  envelope: MailEnvelope,
  reception: Reception,
  refusals: Refusals,
): Promise<Reply> {
  const { metrics } = services;
  const started = performance.now();
  const { sizeBytes } = reception;
  try {
    const verdict = await deliver(services, envelope, reception);
    if (!('ids' in verdict)) {
      reception.discard();
      return refuse(refusals, envelope, sizeBytes, refusedDelivery(verdict));
    }
    const seconds = (performance.now() - started) / 1000;
    metrics.deliverySeconds.observe(seconds);
    metrics.messagesStored.inc(verdict.ids.length);
    metrics.bytesStored.inc(verdict.ids.length * sizeBytes);
    logStored(services, envelope, sizeBytes, verdict.ids, seconds);
    return stored(verdict.ids);
  } catch (error) {
    // A commit that reported a failure may have succeeded. The body then has a row and must be kept.
    if (error instanceof MessageTooLarge || error instanceof MailLoop) reception.discard();
    else services.log.error({ err: error }, 'a mail could not be stored');
    return refuse(refusals, envelope, sizeBytes, failed(error));
  } finally {
    reception.release();
  }
}

/** Records a mail that was not stored, and returns the reply. */
export function refuse(
  refusals: Refusals,
  { mailFrom, remoteAddress, recipients }: MailEnvelope,
  sizeBytes: number,
  reply: Reply,
): Reply {
  const rcptTo = recipients.map((recipient) => recipient.address);
  refusals.mail({ reply: `${reply.code} ${reply.text}`, sizeBytes, mailFrom, rcptTo, remoteAddress });
  return reply;
}

async function deliver(services: MailServices, envelope: MailEnvelope, reception: Reception) {
  const { recipients, ...peer } = envelope;
  return deliverMail(services, {
    body: await reception.finish(),
    sizeBytes: reception.sizeBytes,
    arrival: {
      ...peer,
      receivedBy: services.receivedBy,
      receivedAt: services.clock(),
      submitted: false,
    },
    tls: false,
    recipients,
  });
}

function logStored(
  { log }: Pick<Services, 'log'>,
  { mailFrom, remoteAddress, recipients }: MailEnvelope,
  sizeBytes: number,
  ids: Id[],
  seconds: number,
): void {
  const rcptTo = recipients.map((recipient) => recipient.address);
  const ms = Math.round(seconds * 1000);
  log.info(
    { event: 'mail.stored', ids, sizeBytes, mailFrom, rcptTo, remoteAddress, ms },
    'a mail was stored',
  );
}
