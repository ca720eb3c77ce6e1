import type { Id } from '#core/ids.ts';
import type { ReportKind } from '#core/messages/report.ts';

export type { ReportKind };

/** Step at which a failure occurs: an SMTP command, the end of the content, or a provider API request. */
export type Stage = 'auth' | 'mail' | 'rcpt' | 'data' | 'end' | 'api';

/** Effect of a failure: a refusal, an end of the connection by FIN (`drop`) or by RST, a report on accepted mail, or only a delay. */
export type Action = 'reply' | 'drop' | 'reset' | 'dsn' | 'delay';

/**
 * Email, command or request that matched a failure. `reply` is the failure's reply or, if it has none, its action. It is null if the
 * failure let the attempt pass. `remoteAddress` and `mailFrom` are null if unknown; for the null sender, `mailFrom` is empty.
 */
export type Attempt = {
  at: Date;
  remoteAddress: string | null;
  mailFrom: string | null;
  rcptTo: string[];
  reply: string | null;
};

/**
 * Properties of a failure. `name` is for people. A rule that is not `active` is paused. An attempt must meet all conditions in `match`;
 * null matches anything. `address` is a recipient, and `from` the envelope sender. `reply` consists of a three-digit code, an optional
 * enhanced code and a text; at the stage `api`, of an HTTP status and a text. It is null if the action sends no reply. `dsn` is set only
 * for the action `dsn`. `times`: number of attempts that fail before all pass. `rate`: only attempts beyond `limit` in `seconds` fail.
 * `expiresIn` is in seconds.
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

/** Rule by which a team simulates failures of mail or requests until `expiresAt`. */
export type FailureRule = FailureWords & { id: Id; createdAt: Date; expiresAt: Date };

/** Count of the attempts in a rate's window. The window begins with an attempt. */
export type CountWindow = { since: Date; count: number };

/** Failure with its history: `hits` is the number of failed attempts, and `attempts` are the latest ones, oldest first. */
export type Failure = FailureRule & { hits: number; attempts: Attempt[]; window: CountWindow | null };

/**
 * Failure rules of a team in the order of their creation, including expired ones. `version` changes with each change; 0 means that the
 * team never had any.
 */
export type TeamFailures = { version: number; rules: FailureRule[] };
