import { Thread, ThreadLost } from '#adapters/threads/thread.ts';
import type { MailMatcher, MatchJob } from '#core/delivery/match-mail.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
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
export function createMailMatcher(
  { limitReached }: Pick<Metrics, 'limitReached'>,
  waitMs = limits.mail.rulesWaitMs,
): MailMatcher & { close(): Promise<void> } {
  const entry = new URL('./match-worker.ts', import.meta.url);
  const thread = new Thread({ entry, heap: { maxOldGenerationSizeMb: 256 }, idleMs });
  const inTurn = createFairLimiter({ places: 1 });
  const backlogs = new Map<Id, Backlog>();

  async function apply(job: MatchJob): Promise<Set<number>[]> {
    const limitMs = patience * limits.mail.rulesMs;
    try {
      const answer = await thread.call<{ matched: Set<number>[]; late: boolean }>('match', [job], {
        limitMs,
      });
      if (answer.late) limitReached('mail.rulesMs');
      return answer.matched;
    } catch (error) {
      if (!(error instanceof ThreadLost) || error.kind === 'stopped') throw error;
      limitReached('mail.rulesMs');
      return noMatches(job);
    }
  }

  return {
    async matches(team, job) {
      const backlog = backlogs.get(team) ?? { mails: 0, spentMs: 0 };
      backlogs.set(team, backlog);
      backlog.mails += 1;
      const before = backlog.spentMs;
      try {
        return await inTurn(String(team), async () => {
          if (backlog.spentMs - before > waitMs) {
            limitReached('mail.rulesWaitMs');
            return noMatches(job);
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

const noMatches = ({ targets }: MatchJob) => targets.map(() => new Set<number>());
