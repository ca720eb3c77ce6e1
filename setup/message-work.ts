import { createClientTable } from '#adapters/checks/client-table.ts';
import type { JobName, Jobs } from '#adapters/workshop/serve-workshop.ts';
import type { Workshop } from '#adapters/workshop/workshop.ts';
import type { Payers } from '#core/access/payers.ts';
import type { ClauseJudge } from '#core/assertions/assert-mail.ts';
import type { MailInspector } from '#core/checks/check-message.ts';
import type { MailComparer, MailSource } from '#core/comparison/compare-mails.ts';
import type { MailComposer } from '#core/delivery/compose.ts';
import type { MailMatcher } from '#core/delivery/match-mail.ts';
import { Overloaded, TooMany } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { DocumentWriter } from '#core/messages/mail-document.ts';
import type { Requester } from '#core/messages/requester.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Work on messages outside the main thread. */
export type MessageWork = {
  documents: DocumentWriter;
  inspector: MailInspector;
  clauseJudge: ClauseJudge;
  composer: MailComposer;
  mailComparer: MailComparer;
  matcher: MailMatcher;
};

/** Names the workshop's jobs after the ports that they implement. */
export function createMessageWork(
  workshop: Workshop,
  payers: Payers,
  { limitReached }: Pick<Metrics, 'limitReached'>,
): MessageWork {
  const run = <Name extends JobName, Args extends Parameters<Jobs[Name]> | null>(
    name: Name,
    { user, signal }: Requester,
    prepare: () => Args | Promise<Args>,
  ) => workshop.run(name, String(user), prepare, { signal });
  return {
    documents: {
      write: (requester, read) =>
        run('writeDocument', requester, async () => {
          const { html, pictures } = await read();
          return [html, pictures];
        }),
    },
    inspector: {
      table: createClientTable(),
      inspect: (requester, read) =>
        run('inspectMail', requester, async () => {
          const { html, ...mail } = await read();
          return [html, mail];
        }),
    },
    clauseJudge: {
      check: (requester, clauses) => run('checkPatterns', requester, () => [clauses]),
      judge: (requester, read, clauses) =>
        run('judgeClauses', requester, async () => {
          const mail = await read();
          return mail && [mail, clauses];
        }),
    },
    composer: {
      compose: (requester, { bytes, given }, bounds) =>
        run('composeDrafts', requester, () => [bytes, given, bounds]).catch((error) => {
          // The process is too busy for the request, no matter which limit was reached.
          throw error instanceof TooMany ? new Overloaded(error.message) : error;
        }),
    },
    mailComparer: {
      compare: (requester, left, right, masking) =>
        run('compareMails', requester, async () => {
          const mails = [await bytesOf(requester.user, left), await bytesOf(requester.user, right)] as const;
          return [...mails, masking];
        }),
    },
    matcher: {
      async matches(team, job) {
        const instead = () => ({ matched: job.targets.map(() => new Set<number>()), late: false });
        const payer = String(await payers.of(team));
        const { matched, late } = await workshop.run('matchQueries', payer, () => [job], { instead });
        if (late) limitReached('mail.rulesMs');
        return matched;
      },
    },
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
