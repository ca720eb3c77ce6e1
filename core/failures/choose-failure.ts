import type { Id } from '#core/ids.ts';
import { addressKey } from '#core/messages/recipients.ts';
import type { FailureRule, FailureWords, ReportKind, Stage } from './failure.ts';
import type { ReportRequest } from './report-fields.ts';

/**
 * Verdict of failures on a command, an email or a request, which proceeds if `reply` and `cut` are null. `cut`: the connection
 * ends without a reply, by FIN or by RST. `rule`: the deciding rule, or null for an address failure.
 */
export type FailureVerdict = {
  reply: { code: number; text: string } | null;
  cut: 'drop' | 'reset' | null;
  delayMs: number;
  rule: Id | null;
  reports: ReportRequest[];
};

/** Texts to show instead of a reply if a connection ended without one. */
export const cutTexts = {
  drop: 'Connection closed on purpose',
  reset: 'Connection reset on purpose',
};

/** Error for a request with a simulated failure. `rcptTo`: recipients of all its emails. */
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
  /** False if the email also has recipients in other teams. */
  isAlone: boolean;
};

/** Checks whether a failure can act at a stage. Failures never affect another team's mail on the same connection. */
export function canAct(words: FailureWords, { stage, isAlone }: Pick<Place, 'stage' | 'isAlone'>): boolean {
  const { match, action, delayMs, reply } = words;
  // A report's query needs the content, whatever the report's stage.
  const awaited = match.q !== null && action === 'dsn' && words.stage !== 'api' ? 'end' : words.stage;
  if (awaited !== stage) return false;
  const concernsOneRecipient =
    words.stage === 'rcpt' &&
    (action === 'dsn' || (action === 'reply' && !reply?.startsWith('421'))) &&
    !delayMs;
  return isAlone || concernsOneRecipient;
}

/** Returns the rules that can act, in their order. Ignores their queries and the recipients. */
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

/** Failure of some recipients, by a rule or by their addresses. */
export type MadeFailure = { words: FailureWords & { id?: Id }; addresses: string[] };

/**
 * Checks whether a failure decides for all recipients, which rules out others. `onlyReports`: mail that an API accepts, as a
 * provider would, is reported where a listener would refuse it.
 */
export function decides({ words: { action } }: MadeFailure, onlyReports: boolean): boolean {
  return !onlyReports && action !== 'dsn';
}

/** Returns the verdict of the failures, of which only the last may decide. */
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
