import type { Composed, RefusedDraft } from '#core/delivery/compose.ts';
import { Overloaded } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#gate/limits.ts';
import { RecentUse } from '#gate/recent-use.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ComposeBounds } from './compose-drafts.ts';
import { type ComposeRequest, ComposeThread } from './compose-thread.ts';

/** `entry`: module of the thread, which calls `serveComposing` with the reader of its requests. */
type Options = { metrics: Pick<Metrics, 'limitReached'>; entry: URL; timeoutMs?: number };

/**
 * Request to send, not parsed yet. `given`: further arguments of its reader, structured-cloneable. `signal` aborts when the
 * client hangs up.
 */
type UnreadRequest = { bytes: Uint8Array<ArrayBuffer>; given: unknown; signal: AbortSignal };

/** Makes RFC 5322 messages with CRLF line ends and without Bcc. */
export type MailComposer = {
  /**
   * Composes the messages of a request. Users who have used less time lately come first. A message that is refused by itself is
   * a RefusedDraft. Throws what the reader throws, Invalid, Overloaded, and the reason of the request's signal.
   */
  compose(user: Id, request: UnreadRequest, bounds: ComposeBounds): Promise<(Composed | RefusedDraft)[]>;
  close(): Promise<void>;
};

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
  const shared = { metrics, use: new RecentUse(), entry };
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
    compose(user, { bytes, given, signal }, bounds) {
      if (short.waitingOf(user) + long.waitingOf(user) >= drafts) {
        metrics.limitReached('http.drafts');
        return Promise.reject(new Overloaded(`More than ${drafts} messages wait to be composed`));
      }
      return new Promise((resolve, reject) => {
        const request: ComposeRequest = { user, job: { bytes, given, bounds }, signal, resolve, reject };
        (bytes.length > draftSharedBytes ? long : short).take(request);
      });
    },
    async close() {
      await Promise.all([short.close(), long.close()]);
    },
  };
}
