import { parseLooseAddress, spellLocal, splitTag } from '#core/accounts/address.ts';
import type { Message } from './message.ts';

/** Returns the form in which envelope addresses are compared: lower case, with the domain in A-labels. */
export function addressKey(address: string): string {
  // Most addresses are already in this form. Parsing an address completely takes longer than the rest of its search.
  if (/^[a-z0-9+_.-]+@[a-z0-9.-]*[a-z0-9]$/.test(address) && !address.includes('xn--')) return address;
  return parseLooseAddress(address)?.address ?? address.normalize('NFC').toLowerCase();
}

/**
 * Returns the recipients for whom the account stores a message: those in the envelope that differ from `deliveredTo` at most in the tag.
 * Returns none for a copy in Sent.
 */
export function recipientsOf({
  copy,
  deliveredTo,
  envelope,
}: Pick<Message, 'copy' | 'deliveredTo' | 'envelope'>): string[] {
  if (copy) return [];
  const reached = untagged(deliveredTo);
  return [...new Set([deliveredTo, ...envelope.rcptTo.filter((address) => untagged(address) === reached)])];
}

function untagged(text: string): string {
  const address = parseLooseAddress(text);
  if (address === null) return addressKey(text);
  return `${spellLocal(splitTag(address.local).base)}@${address.domain}`;
}
