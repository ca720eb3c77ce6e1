import { parseAddress } from '#core/accounts/address.ts';
import { Invalid, type Violation } from '#core/errors.ts';
import { requireMailQuery } from '#core/query/check-query.ts';
import type { Action, FailureWords, ReportKind, Stage } from './failure.ts';

/** Failure that a member requests. Defaults replace missing properties. */
export type FailureInput = Partial<Omit<FailureWords, 'match'>> & { match?: Partial<FailureWords['match']> };

/** Code, optional enhanced code (RFC 3463), and a text in printable ASCII (RFC 5321 section 4.2). */
const replyForm = /^([45])\d\d (?:([0-9])\.\d{1,3}\.\d{1,3}(?: |$))?[ -~]*$/;

/** Maximum length of a reply in characters. A line in RFC 5321 has up to 512 octets, including its end. */
const mostReplyCharacters = 500;

/** Stages at which the value that a condition needs is not known yet, by the condition's name. */
const unknownAt: Record<keyof FailureWords['match'], Stage[]> = {
  q: ['auth', 'mail', 'rcpt', 'data'],
  address: ['auth', 'mail'],
  from: ['auth'],
};

/** Replies that reports quote, by the report's kind. Other kinds quote no reply. */
const reportReplies: Partial<Record<ReportKind, string>> = {
  failed: '550 5.1.1 Failed on purpose',
  delayed: '451 4.4.1 Delayed on purpose',
};

/** Completes a member's input with defaults. Throws Invalid for combinations that can never take effect. */
export function failureWords(input: FailureInput): FailureWords {
  const {
    name = null,
    active = true,
    stage = 'rcpt',
    action = 'reply',
    times = null,
    delayMs = null,
    rate = null,
    expiresIn = 3600,
  } = input;
  const dsn = input.dsn ?? (action === 'dsn' ? 'failed' : null);
  const reply = input.reply ?? defaultReply(stage, action, dsn);
  const words = {
    ...{ name, active, match: { q: null, address: null, from: null, ...input.match } },
    ...{ stage, action, reply, dsn, times, delayMs, rate, expiresIn },
  };
  const violations = faultsOf(words);
  if (violations.length > 0) throw new Invalid(violations);
  if (words.match.q !== null) requireMailQuery(words.match.q, 'match.q');
  return words;
}

function defaultReply(stage: Stage, action: Action, dsn: ReportKind | null): string | null {
  if (action === 'dsn') return reportReplies[dsn ?? 'failed'] ?? null;
  if (action !== 'reply') return null;
  return stage === 'api' ? '503 Refused on purpose' : '451 4.7.1 Refused on purpose';
}

function faultsOf({ match, stage, action, reply, dsn, delayMs }: FailureWords): Violation[] {
  const faults: Violation[] = [];
  const refuse = (field: string, message: string) => faults.push({ field, message });
  for (const name of ['q', 'address', 'from'] as const)
    if (match[name] !== null && unknownAt[name].includes(stage) && !(name === 'q' && action === 'dsn'))
      refuse(`match.${name}`, `is not yet known at the ${stage} stage`);
  for (const name of ['address', 'from'] as const)
    if (match[name] !== null && parseAddress(match[name]) === null)
      refuse(`match.${name}`, 'must be a bare address such as qa+run7@app.test');
  if (action === 'dsn' && (stage === 'auth' || stage === 'mail'))
    refuse('action', `dsn requires an email, which does not yet exist at the ${stage} stage`);
  if (dsn !== null && action !== 'dsn') refuse('dsn', 'applies only to the dsn action');
  if (action === 'delay' && !delayMs) refuse('delayMs', 'is required for the delay action');
  if (reply !== null) for (const one of replyFaults({ action, reply, dsn })) faults.push(one);
  return faults;
}

function replyFaults({
  action,
  reply,
  dsn,
}: Pick<FailureWords, 'action' | 'dsn'> & { reply: string }): Violation[] {
  const fault = (message: string) => [{ field: 'reply', message }];
  const first = action === 'dsn' && dsn !== null && reportReplies[dsn]?.charAt(0);
  if (action !== 'reply' && !first) return fault(`does not apply to the ${dsn ?? action} action`);
  const [, digit, enhanced = digit] = replyForm.exec(reply) ?? [];
  if (digit === undefined || reply.length > mostReplyCharacters)
    return fault(
      'must be one line of at most 500 characters with a code from 400 to 599, such as 451 4.7.1 Try again',
    );
  if (enhanced !== digit) return fault(`must have an enhanced code that begins with ${digit}`);
  return first && digit !== first ? fault(`must begin with ${first} for a ${dsn} report`) : [];
}
