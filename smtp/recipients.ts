import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import { type AcceptedRecipient, acceptRecipient } from '#core/delivery/accept-recipient.ts';
import type { Services } from '#core/services.ts';
import { failed, type Reply, refusedRecipient } from './replies.ts';

type RecipientServices = Pick<Services, 'deliveries' | 'requireVerified' | 'log'>;

/** The recipients of the transactions under way. */
export type Recipients = {
  /** Resolves an address given to RCPT; the reply where it is not taken. Never rejects. */
  resolve(address: SMTPServerAddress, session: SMTPServerSession): Promise<Reply | null>;
  /** Those of the transaction that were taken, in their order; one given twice is there once. */
  accepted(session: SMTPServerSession): AcceptedRecipient[];
};

export function createRecipients(services: RecipientServices): Recipients {
  const found = new WeakMap<SMTPServerAddress, AcceptedRecipient>();
  return {
    async resolve(address, session) {
      const refused = (reply: Reply) => {
        const { envelope, remoteAddress } = session;
        services.log.info(
          {
            event: 'mail.refused',
            reply: `${reply.code} ${reply.text}`,
            mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
            rcptTo: [address.address],
            remoteAddress,
          },
          'a recipient was refused',
        );
        return reply;
      };
      try {
        const verdict = await acceptRecipient(services, address.address, declaredSize(session));
        if ('refusal' in verdict) return refused(refusedRecipient(verdict.refusal, address.address));
        found.set(address, verdict);
        return null;
      } catch (error) {
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
