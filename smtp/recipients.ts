import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import { type AcceptedRecipient, acceptRecipient } from '#core/delivery/accept-recipient.ts';
import type { Services } from '#core/services.ts';
import type { Limits } from './connection.ts';
import { Refusals } from './refusals.ts';
import { failed, type Reply, refusedRecipient, replies } from './replies.ts';

type RecipientServices = Pick<Services, 'deliveries' | 'requireVerified' | 'log' | 'metrics'>;

/** The recipients of the transactions under way. */
export type Recipients = {
  /** Resolves an address given to RCPT; the reply where it is not taken. Never rejects. */
  resolve(address: SMTPServerAddress, session: SMTPServerSession): Promise<Reply | null>;
  /** Those of the transaction that were taken, in their order; one given twice is there once. */
  accepted(session: SMTPServerSession): AcceptedRecipient[];
  /** Count of the session, over all of its transactions. */
  refusals(session: SMTPServerSession): Refusals;
};

export function createRecipients(services: RecipientServices, limits: Limits): Recipients {
  const found = new WeakMap<SMTPServerAddress, AcceptedRecipient>();
  const sessions = new WeakMap<SMTPServerSession, Refusals>();
  const refusals = (session: SMTPServerSession): Refusals => {
    const known = sessions.get(session) ?? new Refusals(services, limits);
    sessions.set(session, known);
    return known;
  };
  return {
    refusals,
    async resolve(address, session) {
      const refused = (reply: Reply): Reply => {
        const { envelope, remoteAddress } = session;
        const past = refusals(session);
        const { exhausted } = past;
        const mailFrom = envelope.mailFrom ? envelope.mailFrom.address : '';
        past.recipient({
          reply: `${reply.code} ${reply.text}`,
          mailFrom,
          rcptTo: [address.address],
          remoteAddress,
        });
        if (!exhausted) return reply;
        services.metrics.limitReached('smtp.refusedRecipients');
        return replies.tooManyRefused;
      };
      try {
        const verdict = await acceptRecipient(services, address.address, declaredSize(session));
        if ('refusal' in verdict) return refused(refusedRecipient(verdict.refusal, address.address));
        found.set(address, verdict);
        return null;
      } catch (error) {
        if (!refusals(session).exhausted)
          services.log.error({ err: error }, 'a recipient could not be looked up');
        return refused(failed(error));
      }
    },
    accepted: ({ envelope }) =>
      envelope.rcptTo.flatMap((address) => {
        const recipient = found.get(address);
        return recipient ? [recipient] : [];
      }),
  };
}

/** What MAIL declared as SIZE (RFC 1870), in bytes; 0 where it did not. */
function declaredSize({ envelope }: SMTPServerSession): number {
  const args = envelope.mailFrom ? envelope.mailFrom.args : false;
  return args && typeof args.SIZE === 'string' ? Number(args.SIZE) : 0;
}
