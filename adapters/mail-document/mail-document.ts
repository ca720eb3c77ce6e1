import { lossOf, Thread } from '#adapters/threads/thread.ts';
import { Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { DocumentBody, DocumentWriter } from '#core/messages/mail-document.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Sanitises the HTML of mails in one thread, which is started on demand: one after the other, users in turn. */
export function createDocumentWriter({ limitReached }: Pick<Metrics, 'limitReached'>): DocumentWriter {
  const { documents, documentMs: limitMs } = limits.answers;
  const thread = new Thread({ entry: new URL('./document-worker.ts', import.meta.url), idleMs });
  const inTurn = createFairLimiter({
    places: 1,
    waitingPerKey: documents,
    onFull: () => limitReached('answers.documents'),
  });
  return {
    async write(user, html, pictures) {
      try {
        return await inTurn(String(user), () =>
          thread.call<DocumentBody>('write', [html, pictures], { limitMs }),
        );
      } catch (error) {
        const { kind, cause } = lossOf(error);
        if (kind === 'late') limitReached('answers.documentMs');
        throw new Overloaded('The HTML took too much time or memory', { cause });
      }
    },
    close: () => thread.stop(),
  };
}
