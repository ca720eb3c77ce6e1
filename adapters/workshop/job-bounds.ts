import { limitOf } from '#core/limit-of.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { JobName } from './serve-workshop.ts';

/**
 * Limits of a job. `ms`: its processor time. `waiting`: maximum waiting jobs of this kind per party, with the limit that refuses more.
 * `waitMs`: maximum wait for the party's earlier jobs.
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

/** Creates a job's bounds from the names of its limits. `what` is what a sentence calls the job. */
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
    // Rules enforce their own time limit.
    ms: 10 * limits.mail.rulesMs,
    late: 'mail.rulesMs',
    waitMs: limits.mail.rulesWaitMs,
    waitedLong: 'mail.rulesWaitMs',
    lost: 'Evaluating the rules took too much time or memory',
  },
  writeDocument: bounded('Preparing the HTML', 'answers.documentMs', 'answers.documents'),
};
