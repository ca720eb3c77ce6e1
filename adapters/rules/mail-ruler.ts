import { Thread, ThreadLost } from '#adapters/threads/thread.ts';
import type { RuleJob } from '#core/delivery/rule-targets.ts';
import type { MailRuler } from '#core/delivery/with-rules.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { type Ruling, rulingOf } from '#core/rules/ruling.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Time after which a call of the thread is given up, as a multiple of its processor time. */
const patience = 10;

/** Mails of a team that wait for its rules, and the time of its rules since the first of them began to wait. */
type Backlog = { mails: number; spentMs: number };

/**
 * Applies rules in a thread that is started on demand, one mail at a time. A mail that takes too much time, or that breaks the
 * thread, gets what the rules before say. One that has waited for the rules of its team for too long gets none: others may wait
 * for it, since it may be for several teams. `close` ends the thread.
 */
export function createMailRuler(
  { limitReached }: Pick<Metrics, 'limitReached'>,
  waitMs = limits.mail.rulesWaitMs,
): MailRuler & { close(): Promise<void> } {
  const entry = new URL('./rule-worker.ts', import.meta.url);
  const thread = new Thread({ entry, heap: { maxOldGenerationSizeMb: 256 }, idleMs });
  const inTurn = createFairLimiter({ places: 1 });
  const backlogs = new Map<Id, Backlog>();

  async function apply(job: RuleJob): Promise<Ruling[]> {
    const limitMs = patience * limits.mail.rulesMs;
    try {
      const answer = await thread.call<{ rulings: Ruling[]; late: boolean }>('rule', [job], { limitMs });
      if (answer.late) limitReached('mail.rulesMs');
      return answer.rulings;
    } catch (error) {
      if (!(error instanceof ThreadLost) || error.kind === 'stopped') throw error;
      limitReached('mail.rulesMs');
      return withoutRules(job);
    }
  }

  return {
    async rule(team, job) {
      const backlog = backlogs.get(team) ?? { mails: 0, spentMs: 0 };
      backlogs.set(team, backlog);
      backlog.mails += 1;
      const before = backlog.spentMs;
      try {
        return await inTurn(String(team), async () => {
          if (backlog.spentMs - before > waitMs) {
            limitReached('mail.rulesWaitMs');
            return withoutRules(job);
          }
          const begun = performance.now();
          return apply(job).finally(() => {
            backlog.spentMs += performance.now() - begun;
          });
        });
      } finally {
        backlog.mails -= 1;
        if (backlog.mails === 0) backlogs.delete(team);
      }
    },
    close: () => thread.close(),
  };
}

function withoutRules({ targets, mail }: RuleJob): Ruling[] {
  return targets.map(() => rulingOf([], () => false, mail.receivedAt));
}
