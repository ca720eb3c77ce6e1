import type { Id } from '#core/ids.ts';
import { addressKey } from '#core/messages/recipients.ts';
import type { FailureRule, FailureWords, ReportKind, Stage } from './failure.ts';
import type { ReportRequest } from './report-fields.ts';

/**
 * Verdict of failures on a command, an email or a request. It proceeds if both `reply` and `cut` are null. `cut`: the connection ends
 * without a reply, by FIN or by RST. `rule`: the rule that decided, or null for an address failure.
 */
export type FailureVerdict = {
  reply: { code: number; text: string } | null;
  cut: 'drop' | 'reset' | null;
  delayMs: number;
  rule: Id | null;
  reports: ReportRequest[];
};

/** Texts that are shown instead of a reply if the connection ended without one. */
export const cutTexts = {
  drop: 'Connection closed on purpose',
  reset: 'Connection reset on purpose',
};

/** Error for a request that met a simulated failure. `rcptTo`: recipients of all of the request's emails. */
export class FailedOnPurpose extends Error {
  override name = 'FailedOnPurpose';
  readonly reply: FailureVerdict['reply'];
  readonly mail: { mailFrom: string | null; rcptTo: string[]; reason: 'on-purpose'; failure: Id | null };
  constructor({ reply, cut, rule }: FailureVerdict, mailFrom: string | null, rcptTo: string[]) {
    super(reply?.text ?? (cut === null ? '' : cutTexts[cut]));
    this.reply = reply;
    this.mail = { mailFrom, rcptTo, reason: 'on-purpose', failure: rule };
  }
}

type Place = {
  stage: Stage;
  mailFrom: string | null;
  /** False if the email also has other teams' recipients. */
  isAlone: boolean;
};

/** Checks whether a failure can act at a stage. A failure never affects another team's mail on the same connection. */
export function canAct(words: FailureWords, { stage, isAlone }: Pick<Place, 'stage' | 'isAlone'>): boolean {
  const { match, action, delayMs, reply } = words;
  // A query needs the email's content, so a report with a query waits for it, whatever the report's stage.
  const awaited = match.q !== null && action === 'dsn' && words.stage !== 'api' ? 'end' : words.stage;
  if (awaited !== stage) return false;
  const concernsOneRecipient =
    words.stage === 'rcpt' &&
    (action === 'dsn' || (action === 'reply' && !reply?.startsWith('421'))) &&
    !delayMs;
  return isAlone || concernsOneRecipient;
}

/** Returns the rules that can act, in their order. Does not consider their queries or the recipients. */
export function candidates(rules: FailureRule[], place: Place, now: Date): FailureRule[] {
  const from = addressKey(place.mailFrom ?? '');
  return rules.filter(
    (rule) =>
      rule.active &&
      rule.expiresAt > now &&
      canAct(rule, place) &&
      (rule.match.from === null || addressKey(rule.match.from) === from),
  );
}

/** Failure that applies to some recipients, caused by a rule or by their addresses. */
export type MadeFailure = { words: FailureWords & { id?: Id }; addresses: string[] };

/**
 * Checks whether a failure decides for all recipients, which ends the search for further failures. `onlyReports`: the API has accepted
 * the mail as a provider would, so failures can only cause reports.
 */
export function decides({ words: { action } }: MadeFailure, onlyReports: boolean): boolean {
  return !onlyReports && action !== 'dsn';
}

/** Returns the verdict of the failures. Only the last of them may decide. */
export function verdictOf(made: MadeFailure[], onlyReports: boolean): FailureVerdict {
  const last = made.at(-1)?.words;
  const { action, reply } = onlyReports || !last ? { action: null, reply: null } : last;
  return {
    reply:
      action === 'reply' && reply !== null ? { code: Number(reply.slice(0, 3)), text: reply.slice(4) } : null,
    cut: action === 'drop' || action === 'reset' ? action : null,
    delayMs: onlyReports ? 0 : made.reduce((most, { words }) => Math.max(most, words.delayMs ?? 0), 0),
    rule: last?.id ?? null,
    reports: made.flatMap((one) => reportsOf(one, onlyReports)),
  };
}

function reportsOf({ words, addresses }: MadeFailure, onlyReports: boolean): ReportRequest[] {
  const { action, reply } = words;
  const kind = words.dsn ?? (onlyReports ? reportedAs(words) : null);
  if (kind === null) return [];
  const text = action === 'drop' || action === 'reset' ? '421 4.4.2 The connection was lost' : reply;
  return addresses.map((address) => ({ address, kind, reply: text ?? '' }));
}

function reportedAs({ action, reply }: Pick<FailureWords, 'action' | 'reply'>): ReportKind | null {
  if (action === 'delay') return null;
  return action === 'reply' && reply?.startsWith('5') ? 'failed' : 'delayed';
}
