import { limitOf } from '#core/limit-of.ts';
import { type LimitName, limits } from '#core/limits.ts';
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

/** Makes the bounds of a job by the names of their limits. `what`: its name in a sentence. */
function bounded(what: string, late: LimitName, full: LimitName): JobBounds {
  const lost = `${what} took too much time or memory`;
  return { ms: limitOf(late), late, waiting: limitOf(full), full, lost };
}

const ofAssertions = bounded('Evaluating the assertion', 'assertions.ms', 'assertions.waiting');

export const jobBounds: Record<JobName, JobBounds> = {
  checkPatterns: ofAssertions,
  judgeClauses: ofAssertions,
  compareMails: bounded('Comparing the emails', 'comparison.ms', 'comparison.waiting'),
  composeDrafts: bounded('Composing the message', 'http.draftMs', 'http.drafts'),
  inspectMail: bounded('Checking the email', 'checks.ms', 'checks.waiting'),
  matchQueries: {
    // Rules end by themselves after their time.
    ms: 10 * limits.mail.rulesMs,
    late: 'mail.rulesMs',
    waitMs: limits.mail.rulesWaitMs,
    waitedLong: 'mail.rulesWaitMs',
    lost: 'Evaluating the rules took too much time or memory',
  },
  writeDocument: bounded('Preparing the HTML', 'answers.documentMs', 'answers.documents'),
};
