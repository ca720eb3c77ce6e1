import type { Verification } from './domain.ts';
import type { MxAnswer } from './mx-answer.ts';

/** How often the DNS is asked: every `pendingMs` while pending, every `settledMs` afterwards. */
export type CheckPace = { pendingMs: number; settledMs: number };

/** Definite noes in a row that make a domain `failed`. */
const refusalsToFail = 3;

/** A domain that nobody has verified: to be checked at once. */
export function unverified(now: Date): Verification {
  return { status: 'pending', source: null, detail: null, refusals: 0, checkedAt: null, nextCheckAt: now };
}

/** A domain that a person vouched for: no check takes that back, so none is made. */
export function verifiedByHand(): Verification {
  return {
    status: 'verified',
    source: 'manual',
    detail: null,
    refusals: 0,
    checkedAt: null,
    nextCheckAt: null,
  };
}

/** What an answer of the DNS makes of a verification. Answers that cannot be relied on change nothing but the detail. */
export function judgeMx(
  before: Verification,
  answer: MxAnswer,
  mxHosts: string[],
  now: Date,
  pace: CheckPace,
): Verification {
  if (before.source === 'manual') return before;
  const after = decide(before, answer, mxHosts);
  const pauseMs = after.status === 'pending' ? pace.pendingMs : pace.settledMs;
  return { ...before, ...after, checkedAt: now, nextCheckAt: new Date(now.getTime() + pauseMs) };
}

type Decision = Pick<Verification, 'status' | 'source' | 'detail' | 'refusals'>;

function decide(before: Verification, answer: MxAnswer, mxHosts: string[]): Decision {
  const { status, source, refusals } = before;
  if (answer.kind === 'unknown') return { status, source, refusals, detail: answer.detail };
  const hosts = answer.kind === 'hosts' ? answer.hosts.map((host) => host.exchange) : [];
  const hit = hosts.find((host) => mxHosts.includes(host));
  if (hit !== undefined)
    return { status: 'verified', source: 'mx', refusals: 0, detail: `MX points at ${hit}` };
  const wanted = mxHosts.join(' or ');
  const detail =
    answer.kind === 'none'
      ? `${answer.detail}; expected ${wanted}`
      : `MX points at ${hosts.join(', ')}, not at ${wanted}`;
  if (refusals + 1 >= refusalsToFail)
    return { status: 'failed', source: null, refusals: refusals + 1, detail };
  return { status, source, refusals: refusals + 1, detail };
}
