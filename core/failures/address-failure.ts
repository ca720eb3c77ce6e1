import type { FailureWords } from './failure.ts';

const refused = 'Refused on purpose';

/** Time in seconds for which an address's failures are counted. */
const countedSeconds = 3600;

/** Reply code, number of refusals before the email is accepted, and enhanced code: `452`, `452-4.2.2`, `451x2`, `451x2-4.7.1`. */
const replied = /^(data-)?([45]\d\d)(?:x([1-9]\d{0,2}))?(?:-([45]\.\d{1,3}\.\d{1,3}))?$/i;
const reported = /^dsn-(5\.\d{1,3}\.\d{1,3})$/i;
/** Delay in seconds, up to 60. */
const slow = /^slow([1-9]|[1-5]\d|60)$/i;

/**
 * Returns the failure that a tag requests: `fail-452-4.2.2`. The tag may continue after a dot, which keeps tests apart:
 * `fail-451x2.run7`. Returns null for any other tag.
 */
export function addressFailure(tag: string | null): FailureWords | null {
  if (tag === null || !/^fail-/i.test(tag)) return null;
  // An enhanced code contains dots itself, so the longest valid beginning counts.
  const parts = tag.slice('fail-'.length).split('.');
  for (let length = Math.min(parts.length, 3); length > 0; length -= 1) {
    const failure = failureOf(parts.slice(0, length).join('.'));
    if (failure !== null) return failure;
  }
  return null;
}

function failureOf(text: string): FailureWords | null {
  const [, data, code = '', times, status] = replied.exec(text) ?? [];
  if (code !== '') {
    const [digit] = code;
    if (status !== undefined && status[0] !== digit) return null;
    const reply = `${code} ${status ?? `${digit}.7.1`} ${refused}`;
    return words({ stage: data ? 'end' : 'rcpt', reply, times: times === undefined ? null : Number(times) });
  }
  const [, reason] = reported.exec(text) ?? [];
  if (reason !== undefined) return words({ action: 'dsn', dsn: 'failed', reply: `550 ${reason} ${refused}` });
  const delayMs = 1000 * Number(slow.exec(text)?.[1] ?? 0);
  if (delayMs > 0) return words({ action: 'delay', delayMs });
  if (/^drop$/i.test(text)) return words({ action: 'drop' });
  if (/^delay-dsn$/i.test(text))
    return words({ action: 'dsn', dsn: 'delayed', reply: `451 4.7.1 ${refused}` });
  return null;
}

function words(given: Partial<FailureWords>): FailureWords {
  return {
    ...{ name: null, active: true, match: { q: null, address: null, from: null } },
    ...{ stage: 'rcpt', action: 'reply', reply: null, dsn: null, times: null, delayMs: null, rate: null },
    expiresIn: countedSeconds,
    ...given,
  };
}
