import { Thread, ThreadLost } from '#adapters/threads/thread.ts';
import type { MailRuler } from '#core/delivery/with-rules.ts';
import { type Ruling, rulingOf } from '#core/rules/ruling.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import { limits } from '#gate/limits.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Time after which a call of the thread is given up, as a multiple of its processor time. */
const patience = 10;

/**
 * Applies rules in a thread that is started on demand, one mail at a time. A mail that takes too much time, or that breaks the thread,
 * gets what the rules before say. `close` ends the thread.
 */
export function createMailRuler({
  limitReached,
}: Pick<Metrics, 'limitReached'>): MailRuler & { close(): Promise<void> } {
  const entry = new URL('./rule-worker.ts', import.meta.url);
  const thread = new Thread({ entry, heap: { maxOldGenerationSizeMb: 256 }, idleMs });
  const inTurn = createFairLimiter({ places: 1 });
  return {
    rule: (team, job) =>
      inTurn(String(team), async () => {
        const limitMs = patience * limits.mail.rulesMs;
        try {
          const answer = await thread.call<{ rulings: Ruling[]; late: boolean }>('rule', [job], { limitMs });
          if (answer.late) limitReached('mail.rulesMs');
          return answer.rulings;
        } catch (error) {
          if (!(error instanceof ThreadLost) || error.kind === 'stopped') throw error;
          limitReached('mail.rulesMs');
          return job.targets.map(() => rulingOf([], () => false, job.mail.receivedAt));
        }
      }),
    close: () => thread.close(),
  };
}
