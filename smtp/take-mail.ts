import { type MailEnvelope, type ReceivePorts, receiveMail } from '#core/delivery/receive-mail.ts';
import { StoreFull } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { MailLoop, MessageTooLarge, type Reception } from './reception.ts';
import type { Refusals } from './refusals.ts';
import { failed, type Reply, refusedDelivery, stored } from './replies.ts';

export type MailServices = ReceivePorts & Pick<Services, 'log' | 'metrics' | 'fullness'>;

/**
 * Hands a mail that was transmitted whole to the core, and maps the outcome to a reply. Mail for which there is no room has no
 * log line of its own: `fullness` logs it once a minute. Never rejects.
 */
export async function takeMail(
  services: MailServices,
  envelope: MailEnvelope,
  reception: Reception,
  refusals: Refusals,
): Promise<Reply> {
  const { sizeBytes } = reception;
  const started = performance.now();
  try {
    const verdict = await receiveMail(services, envelope, reception);
    if ('reason' in verdict) {
      const reply = refusedDelivery(verdict);
      return verdict.reason === 'no-room' ? reply : refuse(refusals, envelope, sizeBytes, reply);
    }
    recordStored(services, envelope, sizeBytes, verdict.ids, performance.now() - started);
    return stored(verdict.ids);
  } catch (error) {
    if (error instanceof StoreFull) {
      services.fullness.diskRefused();
      return failed(error);
    }
    if (!(error instanceof MessageTooLarge || error instanceof MailLoop))
      services.log.error({ err: error }, 'a mail could not be stored');
    return refuse(refusals, envelope, sizeBytes, failed(error));
  } finally {
    reception.release();
  }
}

/** Logs a mail that was not stored, and passes its reply on. */
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

/** Counts and logs a mail that was stored. `ms`: from the end of its transmission to its commit. */
function recordStored(
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
  { mailFrom, remoteAddress, recipients }: MailEnvelope,
  sizeBytes: number,
  ids: Id[],
  ms: number,
): void {
  metrics.deliverySeconds.observe(ms / 1000);
  metrics.messagesStored.inc(ids.length);
  metrics.bytesStored.inc(ids.length * sizeBytes);
  const rcptTo = recipients.map((recipient) => recipient.address);
  log.info(
    { event: 'mail.stored', ids, sizeBytes, mailFrom, rcptTo, remoteAddress, ms: Math.round(ms) },
    'a mail was stored',
  );
}
