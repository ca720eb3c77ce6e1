import { createClientTable } from '#adapters/checks/client-table.ts';
import type { Workshop } from '#adapters/workshop/workshop.ts';
import type { Payers } from '#core/access/payers.ts';
import type { ClauseJudge } from '#core/assertions/assert-mail.ts';
import type { MailInspector } from '#core/checks/check-message.ts';
import type { MailComparer, MailSource } from '#core/comparison/compare-mails.ts';
import type { MailMatcher } from '#core/delivery/match-mail.ts';
import type { Id } from '#core/ids.ts';
import type { DocumentWriter } from '#core/messages/mail-document.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Work on messages off the main thread. */
export type MessageWork = {
  documents: DocumentWriter;
  inspector: MailInspector;
  clauseJudge: ClauseJudge;
  mailComparer: MailComparer;
  matcher: MailMatcher;
};

/** Names the jobs of the workshop by the ports that they implement. */
export function createMessageWork(
  workshop: Workshop,
  payers: Payers,
  { limitReached }: Pick<Metrics, 'limitReached'>,
): MessageWork {
  return {
    documents: {
      write: (user, html, pictures) =>
        workshop.run('writeDocument', String(user), () => [html, pictures], { bytes: html.length }),
    },
    inspector: {
      table: createClientTable(),
      inspect: (user, mail) =>
        workshop.run('inspectMail', String(user), () => [mail], { bytes: mail.html?.length ?? 0 }),
    },
    clauseJudge: {
      check: (user, clauses) => workshop.run('checkPatterns', String(user), () => [clauses]),
      judge: (user, read, clauses) =>
        workshop.run('judgeClauses', String(user), async () => {
          const mail = await read();
          return mail && [mail, clauses];
        }),
    },
    mailComparer: {
      async compare(user, left, right, masking) {
        const transfer: ArrayBuffer[] = [];
        const prepare = async (): Promise<[Uint8Array, Uint8Array, typeof masking]> => {
          const mails = [await bytesOf(user, left), await bytesOf(user, right)] as const;
          for (const { buffer } of new Set(mails)) transfer.push(buffer);
          return [...mails, masking];
        };
        return workshop.run('compareMails', String(user), prepare, {
          bytes: sizeOf(left) + sizeOf(right),
          transfer,
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
