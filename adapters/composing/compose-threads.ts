import type { MailComposer } from '#core/delivery/compose.ts';
import { Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { RecentUse } from '#gate/recent-use.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { type ComposeRequest, ComposeThread } from './compose-thread.ts';

type Options = { metrics: Pick<Metrics, 'limitReached'>; entry?: URL; timeoutMs?: number };

/**
 * Reads and composes messages in two threads, each of which is started on demand. A request begins in the shared one. One that
 * takes longer than a turn there, or is large, is made in the other.
 */
export function createMailComposer({
  metrics,
  entry,
  timeoutMs = limits.http.draftMs,
}: Options): MailComposer {
  const { drafts, draftTurnMs, draftSharedBytes } = limits.http;
  const shared = {
    metrics,
    use: new RecentUse(),
    entry: entry ?? new URL('./compose-worker.ts', import.meta.url),
  };
  const long = new ComposeThread({
    ...shared,
    timeoutMs,
    beyond({ reject }) {
      metrics.limitReached('http.draftMs');
      reject(new Overloaded('The message took too much time to compose'));
    },
  });
  const short = new ComposeThread({
    ...shared,
    timeoutMs,
    turnMs: draftTurnMs,
    beyond: (request) => long.take(request),
  });
  return {
    compose(user, { bytes, reader, given, signal }, bounds) {
      if (short.waitingOf(user) + long.waitingOf(user) >= drafts) {
        metrics.limitReached('http.drafts');
        return Promise.reject(new Overloaded(`More than ${drafts} messages wait to be composed`));
      }
      return new Promise((resolve, reject) => {
        const job = { bytes, reader: reader.href, given, bounds };
        const request: ComposeRequest = { user, job, signal, resolve, reject };
        (bytes.length > draftSharedBytes ? long : short).take(request);
      });
    },
    async close() {
      await Promise.all([short.close(), long.close()]);
    },
  };
}
