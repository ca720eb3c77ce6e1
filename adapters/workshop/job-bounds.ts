import { type LimitName, limits } from '#core/limits.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';
import type { JobName } from './serve-workshop.ts';

/**
 * Bounds of a job. `ms`: its processor time. `waiting`: pieces of work of this kind that a party may
 * have waiting, with the limit that refuses more. `waitMs`: time of earlier work of its party, for which it waits at most.
 */
export type JobBounds = {
  ms: number;
  late: LimitName;
  waiting?: number;
  full?: LimitName;
  waitMs?: number;
  waitedLong?: LimitName;
  /** Sentence for a job that was lost. */
  lost: string;
};

const { answers, assertions, checks, comparison, http, mail } = limits;

const ofAssertions: JobBounds = {
  ms: assertions.ms,
  late: 'assertions.ms',
  waiting: assertions.waiting,
  full: 'assertions.waiting',
  lost: 'Evaluating the assertion took too much time or memory',
};

export const jobBounds: Record<JobName, JobBounds> = {
  checkPatterns: ofAssertions,
  judgeClauses: ofAssertions,
  compareMails: {
    ms: comparison.ms,
    late: 'comparison.ms',
    waiting: comparison.waiting,
    full: 'comparison.waiting',
    lost: 'Comparing the emails took too much time or memory',
  },
  composeDrafts: {
    ms: http.draftMs,
    late: 'http.draftMs',
    waiting: http.drafts,
    full: 'http.drafts',
    lost: 'Composing the message took too much time or memory',
  },
  inspectMail: {
    ms: checks.ms,
    late: 'checks.ms',
    waiting: checks.waiting,
    full: 'checks.waiting',
    lost: 'Checking the email took too much time or memory',
  },
  matchQueries: {
    // Rules end by themselves after their time.
    ms: 10 * mail.rulesMs,
    late: 'mail.rulesMs',
    waitMs: mail.rulesWaitMs,
    waitedLong: 'mail.rulesWaitMs',
    lost: 'Evaluating the rules took too much time or memory',
  },
  writeDocument: {
    ms: answers.documentMs,
    late: 'answers.documentMs',
    waiting: answers.documents,
    full: 'answers.documents',
    lost: 'Preparing the HTML took too much time or memory',
  },
};

/** Makes the queue of a kind of job: a party has one at a time, and some that wait. */
export function limiterOf(
  { waiting: waitingPerKey = Number.POSITIVE_INFINITY, full }: JobBounds,
  limitReached: (name: LimitName) => void,
): FairLimiter {
  const onFull = () => {
    if (full !== undefined) limitReached(full);
  };
  return createFairLimiter({ placesPerKey: 1, waitingPerKey, onFull });
}
