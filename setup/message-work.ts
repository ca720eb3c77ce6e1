import { createClientTable } from '#adapters/checks/client-table.ts';
import type { JobName, Jobs } from '#adapters/workshop/serve-workshop.ts';
import type { Workshop } from '#adapters/workshop/workshop.ts';
import type { Payers } from '#core/access/payers.ts';
import type { ClauseJudge } from '#core/assertions/assert-mail.ts';
import type { Clause } from '#core/assertions/clause.ts';
import type { AssertedMail } from '#core/assertions/evaluate.ts';
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

/** Work on messages off the main thread. */
export type MessageWork = {
  documents: DocumentWriter;
  inspector: MailInspector;
  clauseJudge: ClauseJudge;
  composer: MailComposer;
  mailComparer: MailComparer;
  matcher: MailMatcher;
};

/** Names the jobs of the workshop by the ports that they implement. */
export function createMessageWork(
  workshop: Workshop,
  payers: Payers,
  { limitReached }: Pick<Metrics, 'limitReached'>,
): MessageWork {
  /** Runs a job on a mail that is read when it is the turn of the user. The length of the HTML tells what it costs. */
  const onHtml = <Name extends JobName, Mail extends { html: string | null }>(
    name: Name,
    { user, signal }: Requester,
    read: () => Promise<Mail>,
    argumentsOf: (mail: Mail) => Parameters<Jobs[Name]>,
  ) => {
    const options = { signal, bytes: 0 };
    const prepare = async () => {
      const mail = await read();
      options.bytes = mail.html?.length ?? 0;
      return argumentsOf(mail);
    };
    return workshop.run(name, String(user), prepare, options);
  };
  return {
    documents: {
      write: (requester, read) =>
        onHtml('writeDocument', requester, read, ({ html, pictures }) => [html, pictures]),
    },
    inspector: {
      table: createClientTable(),
      inspect: (requester, read) => onHtml('inspectMail', requester, read, (mail) => [mail]),
    },
    clauseJudge: {
      check: ({ user, signal }, clauses) =>
        workshop.run('checkPatterns', String(user), () => [clauses], { signal }),
      judge({ user, signal }, read, clauses) {
        const prepare = async (): Promise<[AssertedMail, Clause[]] | null> => {
          const mail = await read();
          return mail && [mail, clauses];
        };
        return workshop.run('judgeClauses', String(user), prepare, { signal });
      },
    },
    composer: {
      async compose({ user, signal }, unread, bounds) {
        const options = { bytes: unread.bytes.length, transfer: [unread.bytes.buffer], signal };
        try {
          return await workshop.run('composeDrafts', String(user), () => [{ ...unread, bounds }], options);
        } catch (error) {
          // As the process is too busy for a request, whichever of its bounds is reached.
          throw error instanceof TooMany ? new Overloaded(error.message) : error;
        }
      },
    },
    mailComparer: {
      async compare({ user, signal }, left, right, masking) {
        const transfer: ArrayBuffer[] = [];
        const prepare = async (): Promise<[Uint8Array, Uint8Array, typeof masking]> => {
          const mails = [await bytesOf(user, left), await bytesOf(user, right)] as const;
          for (const { buffer } of new Set(mails)) transfer.push(buffer);
          return [...mails, masking];
        };
        return workshop.run('compareMails', String(user), prepare, {
          bytes: sizeOf(left) + sizeOf(right),
          transfer,
          signal,
        });
      },
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

const sizeOf = (mail: MailSource) => (mail instanceof Uint8Array ? mail.length : mail.sizeBytes);

/** Reads a mail, each piece in a turn of the event loop of its own. */
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
