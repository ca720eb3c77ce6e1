import { createClauseJudge } from '#adapters/assertions/clause-judge.ts';
import { createMailInspector } from '#adapters/checks/mail-inspector.ts';
import { createMailComparer } from '#adapters/comparison/mail-comparer.ts';
import { createDocumentWriter } from '#adapters/mail-document/mail-document.ts';
import type { ClauseJudge } from '#core/assertions/assert-mail.ts';
import type { MailInspector } from '#core/checks/check-message.ts';
import type { MailComparer } from '#core/comparison/compare-mails.ts';
import type { DocumentWriter } from '#core/messages/mail-document.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Work on messages that requests ask for, in threads that are started on demand. */
export type MessageThreads = {
  documents: DocumentWriter;
  inspector: MailInspector;
  clauseJudge: ClauseJudge;
  mailComparer: MailComparer;
};

/** Creates the threads. `close` ends them. */
export function createMessageThreads(
  metrics: Pick<Metrics, 'limitReached'>,
): MessageThreads & { close(): Promise<void> } {
  const documents = createDocumentWriter(metrics);
  const inspector = createMailInspector(metrics);
  const clauseJudge = createClauseJudge(metrics);
  const mailComparer = createMailComparer(metrics);
  return {
    documents,
    inspector,
    clauseJudge,
    mailComparer,
    async close() {
      await Promise.all([documents, inspector, clauseJudge, mailComparer].map((threads) => threads.close()));
    },
  };
}
