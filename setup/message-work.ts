import { createClientTable } from '#adapters/checks/client-table.ts';
import type { JobName, Jobs, ResultOf } from '#adapters/workshop/serve-workshop.ts';
import type { Workshop } from '#adapters/workshop/workshop.ts';
import type { Payers } from '#core/access/payers.ts';
import type { MailComparer, MailSource } from '#core/comparison/compare-mails.ts';
import type { MailMatcher } from '#core/delivery/match-mail.ts';
import { Overloaded, TooMany } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Job, Requester } from '#core/messages/requester.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Names the workshop's jobs after the ports that they implement. */
export function createMessageWork(
  workshop: Workshop,
  payers: Payers,
  { limitReached }: Pick<Metrics, 'limitReached'>,
) {
  const job =
    <Name extends JobName>(name: Name): Job<Parameters<Jobs[Name]>, ResultOf<Name>> =>
    ({ user, signal }, prepare) =>
      workshop.run(name, String(user), prepare, { signal });
  const composeDrafts = job('composeDrafts');
  const compareMails = job('compareMails');
  const mailComparer: MailComparer = {
    compare: (requester, left, right, masking) =>
      compareMails(requester, async () => [
        await bytesOf(requester.user, left),
        await bytesOf(requester.user, right),
        masking,
      ]),
  };
  const matcher: MailMatcher = {
    async matches(team, job) {
      const instead = () => ({ matched: job.targets.map(() => new Set<number>()), late: false });
      const payer = String(await payers.of(team));
      const { matched, late } = await workshop.run('matchQueries', payer, () => [job], { instead });
      if (late) limitReached('mail.rulesMs');
      return matched;
    },
  };
  return {
    checkPatterns: job('checkPatterns'),
    clientTable: createClientTable(),
    /** Composes a request's messages in RFC 5322 form, with CRLF line ends and without Bcc fields. */
    composeDrafts: (requester: Requester, ...request: Parameters<Jobs['composeDrafts']>) =>
      composeDrafts(requester, async () => request).catch((error) => {
        // The process is too busy for the request, no matter which limit was reached.
        throw error instanceof TooMany ? new Overloaded(error.message) : error;
      }),
    inspectMail: job('inspectMail'),
    judgeClauses: job('judgeClauses'),
    mailComparer,
    matcher,
    writeDocument: job('writeDocument'),
  };
}

/** Reads an email. Each piece is read in its own turn of the event loop. */
async function bytesOf(user: Id, mail: MailSource): Promise<Uint8Array<ArrayBuffer>> {
  if (mail instanceof Uint8Array) return mail;
  const bytes = new Uint8Array(mail.sizeBytes);
  let at = 0;
  for await (const piece of mail.open()) {
    bytes.set(piece, at);
    at += piece.length;
    await turnOfStream(user);
  }
  return bytes;
}
