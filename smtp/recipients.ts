import type { SMTPServerAddress } from 'smtp-server';
import { acceptOrCapture, mayFail } from '#core/delivery/accept-recipient.ts';
import type { Id } from '#core/ids.ts';
import type { Outcome } from './failures.ts';
import { failed, type Reply, refusedRecipient, replies } from './replies.ts';
import type { Shared } from './shared.ts';
import type { Transaction } from './transaction.ts';

/** Looks up an address in RCPT, and simulates the recipient's failures. Never rejects. */
export async function resolveRecipient(
  { services, limits }: Pick<Shared, 'services' | 'limits'>,
  transaction: Transaction,
  address: SMTPServerAddress,
): Promise<Outcome> {
  const { submitter } = transaction;
  const { limitReached } = services.metrics;
  const refused = (own: Reply, team: Id | null, isLogged = true): Reply => {
    const { refusals } = transaction;
    const { exhausted } = refusals;
    const reply = exhausted ? replies.tooManyRefused : own;
    transaction.team = team;
    transaction.refusedTeam = team ?? transaction.refusedTeam;
    refusals.recipient(address.address, team, reply, isLogged);
    if (exhausted) limitReached('smtp.refusedRecipients');
    return reply;
  };
  if (transaction.dsnTextLength(address) > limits.dsnCharacters) {
    limitReached('smtp.dsnCharacters');
    return replies.dsnTooLong;
  }
  try {
    const verdict = await acceptOrCapture(services, address.address, transaction.declaredBytes, submitter);
    if ('refusal' in verdict) {
      // `overflow` logs a full account once a minute.
      const isLogged = verdict.refusal !== 'no-room';
      return refused(refusedRecipient(verdict.refusal, verdict.address), verdict.team, isLogged);
    }
    transaction.team = verdict.owner;
    const outcome = mayFail(verdict) ? await transaction.failures.ofRecipient(verdict) : null;
    if (outcome === null) transaction.accept(verdict);
    return outcome;
  } catch (error) {
    if (!transaction.refusals.exhausted) services.log.error({ err: error }, 'could not look up a recipient');
    return refused(failed(error), (submitter ?? services.everybody)?.owner ?? null);
  }
}
