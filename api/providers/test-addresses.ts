import type { TestOutcome } from '#core/delivery/submit-mails.ts';

/** Reports that mail to providers' test addresses causes. */
export const simulated = {
  unknown: { kind: 'failed', reply: '550 5.1.1 User unknown' },
  suppressed: { kind: 'failed', reply: '550 5.1.1 The address is on the suppression list' },
  blocked: { kind: 'failed', reply: '550 5.7.1 Blocked by the receiver' },
  full: { kind: 'delayed', reply: '452 4.2.2 The mailbox is full' },
  unreachable: { kind: 'delayed', reply: '451 4.4.1 No answer from the host' },
  autoreply: { kind: 'autoreply', reply: '' },
  complaint: { kind: 'complaint', reply: '' },
} as const satisfies Record<string, TestOutcome>;

/** Returns the local part of an address in a domain, in lower case and without its label. Returns null for another domain. */
export function localPartAt(domain: string, address: string): string | null {
  // Bounded: an address has up to 320 characters.
  const [, local = '', found = ''] = /^(.*)@(.*)$/.exec(address.toLowerCase()) ?? [];
  return found === domain ? (local.split('+', 1)[0] ?? '') : null;
}

/** Finds the outcome of mail to an address in a domain by its local part. */
export function byLocalPart(domain: string, outcomes: [name: string, TestOutcome][]) {
  const known = new Map(outcomes);
  return (address: string): TestOutcome | null => known.get(localPartAt(domain, address) ?? '') ?? null;
}
