import type { Verification } from './domain.ts';

/**
 * DNS answer about a domain's MX records: the hosts (lower case, no trailing dot), a definite answer that there are none, or nothing
 * reliable.
 */
export type MxAnswer =
  | { kind: 'hosts'; hosts: { priority: number; exchange: string }[] }
  | { kind: 'none'; detail: string }
  | { kind: 'unknown'; detail: string };

/** Queries the MX records of `domain` as an absolute name. Never throws: a failure results in `unknown`. */
export type MxResolver = { resolveMx(domain: string): Promise<MxAnswer> };

/** Intervals between MX checks: `pendingMs` while a domain is pending, `settledMs` afterward. */
export type CheckPace = { pendingMs: number; settledMs: number };

/** Number of consecutive negative answers after which a domain is `failed`. */
const refusalsToFail = 3;

/** Verification state of an unverified domain that is due for an immediate check. */
export function unverified(now: Date): Verification {
  return { status: 'pending', source: null, detail: null, refusals: 0, checkedAt: null, nextCheckAt: now };
}

/** Verification state of a domain that a person vouched for. Checks could not revoke it, so none run. */
export function verifiedByHand(): Verification {
  return { ...unverified(new Date(0)), status: 'verified', source: 'manual', nextCheckAt: null };
}

/** Applies a DNS answer to a verification state. An unreliable answer changes only the detail and the check times. */
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
