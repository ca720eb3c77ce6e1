import { addressKey } from '#core/messages/recipients.ts';
import type { FailureRule, FailureWords, ReportKind, Stage } from './failure.ts';
import type { ReportRequest } from './report-fields.ts';

/**
 * Effect of failures on a command, a mail or a request, which goes on where `reply` and `cut` are null. `cut`: the connection ends
 * without a reply, by FIN or by RST.
 */
export type Encounter = {
  reply: { code: number; text: string } | null;
  cut: 'drop' | 'reset' | null;
  delayMs: number;
  reports: ReportRequest[];
};

/** Texts in place of the reply where a connection ended without one. */
export const cutTexts = {
  drop: 'Connection closed on purpose',
  reset: 'Connection reset on purpose',
};

/** Sender of the envelope and recipients of a request. */
type Envelope = { mailFrom: string | null; rcptTo: string[] };

/** Error for a request that fails on purpose, or is delayed. */
export class FailedOnPurpose extends Error {
  override name = 'FailedOnPurpose';
  readonly reason = 'on-purpose';
  readonly encounter: Encounter;
  readonly mailFrom: string | null;
  readonly rcptTo: string[];
  constructor(encounter: Encounter, { mailFrom, rcptTo }: Envelope) {
    super(encounter.reply?.text ?? 'The request fails on purpose');
    this.encounter = encounter;
    this.mailFrom = mailFrom;
    this.rcptTo = rcptTo;
  }
}

type Place = {
  stage: Stage;
  mailFrom: string | null;
  /** False where the mail has recipients of other teams, too. */
  isAlone: boolean;
};

/** Checks whether a failure can act at a stage. No failure harms mail of another team, which shares the connection. */
export function canAct(words: FailureWords, { stage, isAlone }: Pick<Place, 'stage' | 'isAlone'>): boolean {
  const { match, action, delayMs, reply } = words;
  // The query of a report needs the content, whatever the stage of the report.
  const awaited = match.q !== null && action === 'dsn' && words.stage !== 'api' ? 'end' : words.stage;
  if (awaited !== stage) return false;
  const concernsOneRecipient =
    words.stage === 'rcpt' &&
    (action === 'dsn' || (action === 'reply' && !reply?.startsWith('421'))) &&
    !delayMs;
  return isAlone || concernsOneRecipient;
}

/** Returns the rules that can act, in their order. Their queries and the recipients are not looked at. */
export function candidates(rules: FailureRule[], place: Place, now: Date): FailureRule[] {
  const from = addressKey(place.mailFrom ?? '');
  return rules.filter(
    (rule) =>
      rule.expiresAt > now &&
      canAct(rule, place) &&
      (rule.match.from === null || addressKey(rule.match.from) === from),
  );
}

export function noEncounter(): Encounter {
  return { reply: null, cut: null, delayMs: 0, reports: [] };
}

/**
 * Adds a failure, of some recipients, to an encounter. Returns true if it decides on all of them. `onlyReports`: mail that an API
 * takes, as a provider would, is reported where a listener would refuse it.
 */
export function add(
  encounter: Encounter,
  { action, reply, dsn, delayMs }: FailureWords,
  addresses: string[],
  onlyReports: boolean,
): boolean {
  const kind = dsn ?? (onlyReports ? reportedAs({ action, reply }) : null);
  if (kind !== null) {
    const text = action === 'drop' || action === 'reset' ? '421 4.4.2 The connection was lost' : reply;
    for (const address of addresses) encounter.reports.push({ address, kind, reply: text ?? '' });
  }
  if (onlyReports) return false;
  encounter.delayMs = Math.max(encounter.delayMs, delayMs ?? 0);
  if (action === 'dsn') return false;
  if (action === 'drop' || action === 'reset') encounter.cut = action;
  if (action === 'reply' && reply !== null)
    encounter.reply = { code: Number(reply.slice(0, 3)), text: reply.slice(4) };
  return true;
}

function reportedAs({ action, reply }: Pick<FailureWords, 'action' | 'reply'>): ReportKind | null {
  if (action === 'delay') return null;
  return action === 'reply' && reply?.startsWith('5') ? 'failed' : 'delayed';
}
