import { Thread, ThreadLost } from '#adapters/threads/thread.ts';
import type { MailComparer } from '#core/comparison/compare-mails.ts';
import type { Comparison } from '#core/comparison/comparison.ts';
import { Overloaded } from '#core/errors.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import { limits } from '#gate/limits.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Compares mails in a thread that is started on demand, two at a time. `close` ends the thread. */
export function createMailComparer({
  limitReached,
}: Pick<Metrics, 'limitReached'>): MailComparer & { close(): Promise<void> } {
  const { waiting, ms: limitMs, heapBytes } = limits.comparison;
  const thread = new Thread({
    entry: new URL('./compare-worker.ts', import.meta.url),
    heap: { maxOldGenerationSizeMb: heapBytes / 1024 / 1024, maxYoungGenerationSizeMb: 16 },
    idleMs,
  });
  const inTurn = createFairLimiter({
    places: 1,
    waitingPerKey: waiting,
    onFull: () => limitReached('comparison.waiting'),
  });
  return {
    compare: (user, left, right, masks) =>
      inTurn(String(user), async () => {
        const transfer = [...new Set([left.buffer, right.buffer])];
        try {
          return await thread.call<Comparison>('compare', [left, right, masks], { transfer, limitMs });
        } catch (error) {
          if (!(error instanceof ThreadLost)) throw error;
          if (error.kind === 'late') limitReached('comparison.ms');
          if (error.kind === 'memory') limitReached('comparison.heapBytes');
          throw new Overloaded('The mails took too much time or memory to compare', { cause: error.cause });
        }
      }),
    close: () => thread.stop(),
  };
}
