import type { Id } from '#core/ids.ts';
import type { ReportKind } from '#core/messages/report.ts';
import type { Page, Slice } from '#core/page.ts';

export type { ReportKind };

/** Step at which a failure is made: commands of SMTP, the end of the content, or a request to a provider API. */
export type Stage = 'auth' | 'mail' | 'rcpt' | 'data' | 'end' | 'api';

/** Effect: a refusal, an end of the connection by FIN (`drop`) or RST, a report on mail that is taken, or a delay alone. */
export type Action = 'reply' | 'drop' | 'reset' | 'dsn' | 'delay';

/**
 * Mail, command or request that a failure matched. `reply` is the answer of the failure, or its action where it has none, or null
 * where it let the attempt pass. `remoteAddress` and `mailFrom` are null where they are not known; `mailFrom` of the null sender
 * is empty.
 */
export type Attempt = {
  at: Date;
  remoteAddress: string | null;
  mailFrom: string | null;
  rcptTo: string[];
  reply: string | null;
};

/**
 * Properties of a failure. `name` is for people. A rule that is not `active` is paused. All of `match` must fit; null fits anything. `address` is a recipient, `from` the sender of the envelope.
 * `reply` is a code of three digits, an enhanced code or none, and a text, at the stage `api` an HTTP status and a text; null where
 * the action has none. `dsn` is there for the action `dsn` alone. `times`: number of attempts that fail before all pass. `rate`: only
 * attempts beyond `limit` in `seconds` fail. `expiresIn` are seconds.
 */
export type FailureWords = {
  name: string | null;
  active: boolean;
  match: { q: string | null; address: string | null; from: string | null };
  stage: Stage;
  action: Action;
  reply: string | null;
  dsn: ReportKind | null;
  times: number | null;
  delayMs: number | null;
  rate: { limit: number; seconds: number } | null;
  expiresIn: number;
};

/** Rule of a team by which mail or requests fail on purpose, until `expiresAt`. */
export type FailureRule = FailureWords & { id: Id; createdAt: Date; expiresAt: Date };

/** Count of a window of the rate, which begins with an attempt. */
export type CountWindow = { since: Date; count: number };

/** Failure with what it did: `hits` counts the attempts that failed, `attempts` are the last ones, oldest first. */
export type Failure = FailureRule & { hits: number; attempts: Attempt[]; window: CountWindow | null };

/**
 * Failure rules of a team in the order of their creation, with those that are over. `version` is another one after each change of
 * them; 0 stands for none ever.
 */
export type TeamFailures = { version: number; rules: FailureRule[] };

export type FailureStore = {
  /** Lists failure rules of a team that are not over, or that with an id, oldest first, with their attempts. Reads the page alone. */
  list(team: Id, where: { now: Date; id?: Id }, page: Page): Promise<Slice<Failure>>;
};
