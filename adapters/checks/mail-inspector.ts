import { lossOf, Thread } from '#adapters/threads/thread.ts';
import type { Inspection, MailInspector } from '#core/checks/check-message.ts';
import { Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { createClientTable } from './client-table.ts';

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Inspects mails in a thread that is started on demand, one at a time. `close` ends the thread. */
export function createMailInspector({
  limitReached,
}: Pick<Metrics, 'limitReached'>): MailInspector & { close(): Promise<void> } {
  const { waiting, ms, heapBytes } = limits.checks;
  const thread = new Thread({
    entry: new URL('./inspect-worker.ts', import.meta.url),
    heap: { maxOldGenerationSizeMb: heapBytes / 1024 / 1024, maxYoungGenerationSizeMb: 16 },
    idleMs,
  });
  const inTurn = createFairLimiter({
    places: 1,
    waitingPerKey: waiting,
    onFull: () => limitReached('checks.waiting'),
  });
  return {
    table: createClientTable(),
    inspect: (user, mail) =>
      inTurn(String(user), async () => {
        try {
          return await thread.call<Inspection>('inspect', [mail], { limitMs: ms });
        } catch (error) {
          const { kind, cause } = lossOf(error);
          if (kind === 'late') limitReached('checks.ms');
          if (kind === 'memory') limitReached('checks.heapBytes');
          throw new Overloaded('The mail took too much time or memory to check', { cause });
        }
      }),
    close: () => thread.stop(),
  };
}
