import { lossOf, Thread } from '#adapters/threads/thread.ts';
import type { ClauseJudge } from '#core/assertions/assert-mail.ts';
import type { ClauseResult } from '#core/assertions/clause.ts';
import { Overloaded } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Idle time after which a thread ends and frees its memory. */
const idleMs = 30_000;

/**
 * Evaluates clauses in threads that are started on demand. A user has one of them at a time, so that somebody with costly
 * regular expressions leaves the others free. `close` ends the threads.
 */
export function createClauseJudge({
  limitReached,
}: Pick<Metrics, 'limitReached'>): ClauseJudge & { close(): Promise<void> } {
  const { threads: places, waiting, ms: limitMs, heapBytes } = limits.assertions;
  const entry = new URL('./judge-worker.ts', import.meta.url);
  const heap = { maxOldGenerationSizeMb: heapBytes / 1024 / 1024, maxYoungGenerationSizeMb: 16 };
  const threads = Array.from({ length: places }, () => new Thread({ entry, heap, idleMs }));
  const ofUser = createFairLimiter({
    placesPerKey: 1,
    waitingPerKey: waiting,
    onFull: () => limitReached('assertions.waiting'),
  });
  const inTurn = createFairLimiter({ places });
  const call = <Result>(user: Id, method: string, args: unknown[]) =>
    inTurn(String(user), async () => {
      // As many calls as threads are under way, so that one is free.
      const thread = threads.find(({ load }) => load === 0);
      if (thread === undefined) throw new Error('no thread is free');
      try {
        return await thread.call<Result>(method, args, { limitMs });
      } catch (error) {
        const { kind, cause } = lossOf(error);
        if (kind === 'late') limitReached('assertions.ms');
        if (kind === 'memory') limitReached('assertions.heapBytes');
        throw new Overloaded('The assertion took too much time or memory', { cause });
      }
    });
  return {
    check: (user, clauses) => ofUser(String(user), () => call<void>(user, 'check', [clauses])),
    judge: (user, read, clauses) =>
      ofUser(String(user), async () => {
        // A mail is read before its user has a thread, which others need meanwhile.
        const mail = await read();
        return mail && call<ClauseResult[]>(user, 'judge', [mail, clauses]);
      }),
    close: async () => {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}
